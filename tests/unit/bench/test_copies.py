"""Copies of records among neighbours that only look like them."""

from collections.abc import Sequence

import pytest

from bench.copies import Pair, measured, precision, recall


@pytest.fixture(scope="module")
def planted() -> Sequence[Pair]:
    return measured()


def test_what_counts_as_a_copy_is_one(planted: Sequence[Pair]) -> None:
    assert precision(list(planted)) >= 0.99


def test_copies_are_found(planted: Sequence[Pair]) -> None:
    assert recall(list(planted)) >= 0.95
