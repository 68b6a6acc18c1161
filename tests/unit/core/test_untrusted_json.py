"""How deep a text nests is known before it is parsed, and what was parsed can be written."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.untrusted_json import dumps, loads, nesting

VALUES = st.recursive(
    st.text() | st.integers(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=20,
)


def depth(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value
    is_container = isinstance(value, dict | list)
    return 1 + max(map(depth, inside), default=0) if is_container else 0


@given(VALUES, st.booleans())
def test_the_nesting_of_a_text_is_that_of_its_value(value: Any, ascii: bool) -> None:
    assert nesting(json.dumps(value, ensure_ascii=ascii)) == depth(value)


@pytest.mark.parametrize("text", [r'"[[\\"', r'"\"[["', r'"\\\"[["', r'"\n[["', '"\u225b[["'])
def test_brackets_in_a_string_do_not_nest(text: str) -> None:
    assert nesting(text) == 0


def test_brackets_behind_a_string_that_ends_in_a_backslash_nest() -> None:
    assert nesting(r'["\\", [1]]') == 2


@pytest.mark.parametrize("text", ["[[1]]", b"[[1]]", b"\xef\xbb\xbf[[1]]"])
def test_what_nests_no_deeper_than_allowed_is_read(text: str | bytes) -> None:
    assert loads(text, 2) == [[1]]


@pytest.mark.parametrize("text", ["[[[1]]]", '{"a": {"b": [1]}}', "[[[", "[[1]]".encode("utf-16")])
def test_what_nests_deeper_or_is_not_utf_8_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"nested|decode"):
        loads(text, 2)


@given(VALUES.filter(lambda value: isinstance(value, dict | list)), st.booleans())
def test_what_was_read_can_be_written_however_large_its_integers(
    value: Any, sort_keys: bool
) -> None:
    beside = {"z": 10**39, "a": value}
    assert json.loads(dumps(beside, sort_keys=sort_keys)) == beside
