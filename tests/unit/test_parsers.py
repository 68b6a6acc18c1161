"""Parsers refuse what is broken and nothing else happens, whatever a stranger sends.

`make fuzz-parsers` looks further.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsers.targets import TARGETS

EACH = pytest.mark.parametrize("name", TARGETS)


@EACH
def test_what_is_in_order_and_what_once_broke_it_is_read(name: str) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].parse(seed)


@EACH
@settings(max_examples=40)
@given(drawn=st.data())
def test_what_is_nearly_in_order_is_read_or_refused(name: str, drawn: st.DataObject) -> None:
    seed = drawn.draw(st.sampled_from(TARGETS[name].seeds))
    start = drawn.draw(st.integers(0, len(seed)))
    end = drawn.draw(st.integers(start, min(len(seed), start + 20)))
    instead = drawn.draw(st.binary(max_size=20) | st.just(seed[:end][-200:]))
    TARGETS[name].parse(seed[:start] + instead + seed[end:])
