"""Counts in buckets a factor of √2 apart."""

import pytest

from app.engine.judging import histogram


@pytest.mark.parametrize("value", [30.0, 47.0, 250.0, 999.0, 5_000.0, 12_000.0])
def test_a_quantile_is_wrong_by_at_most_a_fifth(value: float) -> None:
    counts = [0] * histogram.BUCKETS
    counts[histogram.bucket(value, histogram.FIRST_TOKEN_MS)] = 5
    found = histogram.quantile(counts, 0.5, histogram.FIRST_TOKEN_MS)
    assert found == pytest.approx(value, rel=0.19)


def test_nothing_counted_has_no_quantile() -> None:
    assert histogram.quantile([0] * histogram.BUCKETS, 0.5, 1) is None


def test_the_slowest_of_a_hundred_are_its_99th_percentile() -> None:
    counts = [98, *[0] * 18, 2]
    assert histogram.quantile(counts, 0.5, 25) == pytest.approx(25, rel=0.2)
    assert histogram.quantile(counts, 0.99, 25) == pytest.approx(15_000, rel=0.2)


def test_what_is_beyond_the_last_bucket_counts_in_it() -> None:
    assert histogram.bucket(1e9, 25) == histogram.BUCKETS - 1
    assert histogram.bucket(0, 25) == 0
