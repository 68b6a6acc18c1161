"""Bodies are read strictly: what Postgres cannot store never gets past the parser."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import MalformedJson
from app.core.http.request_parser import MAX_NESTING, MAX_NUMBER_LENGTH, loads

REFUSED = {
    "not JSON": b"{",
    "empty": b"",
    "duplicate keys": b'{"a": 1, "a": 2}',
    "duplicate keys inside": b'[{"a": {"b": 1, "b": 1}}]',
    "NUL": b'{"a": "x\\u0000y"}',
    "NUL in a key": b'{"a\\u0000": 1}',
    "lone surrogate": b'{"a": "\\ud800"}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "float overflow": b'{"a": 1e999}',
    "long integer": b'{"a": ' + b"9" * (MAX_NUMBER_LENGTH + 1) + b"}",
    "not UTF-8": b'{"a": "\xff"}',
    "marked as UTF-8": b'\xef\xbb\xbf{"a": 1}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "nested just too deeply": b"[" * (MAX_NESTING + 1) + b"]" * (MAX_NESTING + 1),
    "nested absurdly": b"[" * 100_000,
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_a_body_that_is_not_acceptable_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        loads(body)


def test_nesting_up_to_the_limit_is_taken() -> None:
    assert loads(b"[" * MAX_NESTING + b"]" * MAX_NESTING)


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert loads(b'"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


@given(st.binary(max_size=200))
def test_nothing_but_malformed_json_leaves_the_parser(body: bytes) -> None:
    with contextlib.suppress(MalformedJson):
        loads(body)
