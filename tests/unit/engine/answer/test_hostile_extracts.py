"""Extracts of text that wants to be shown wrongly, or to cost a lot."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.pages.blocks.canonical import canonical
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse
from tests.costs import times_as_much

SNIPPETS = (
    "server", "port 5432", "It listens.", "東京都のポート。", "بورت؟", "😀", "[1]", "[source]", "/",
    "```", "~~~~", "# Port", "Default: | 5", "a | b", "- item:", "1. step", "What is the port?",
    "Table 3. Ports", "See also port", "    code = {", "x[0];", ":", "\n", "\n\n", "\n\n\n",
    "?" * 40, "server " * 90, "y" * 1900, "port (", "(" * 60, "| " * 30, "...",
)  # fmt: skip


def extract(text: str, start: int, end: int, question: str = "server port") -> Extract | None:
    query = parse(question)
    extracts = Extracts(query, Overlap(query, IndexStats(1000, 60.0, {})))
    return extracts.of(Evidence(0, text, start, end, 1.0, language="en"))


@settings(deadline=None)
@given(st.lists(st.sampled_from(SNIPPETS), max_size=40).map(" ".join), st.data())
def test_an_extract_is_a_readable_slice_of_any_text(raw: str, data: st.DataObject) -> None:
    text = canonical(raw)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    end -= len(text[start:end]) - len(text[start:end].rstrip())  # as passages end
    x = extract(text, start, end)
    if x is None:
        return
    assert 0 <= x.start <= x.lead_start < x.lead_end <= x.end <= end
    shown = text[x.start : x.end]
    assert shown == shown.strip("\n")
    assert text[x.lead_start : x.lead_end].strip()


@pytest.mark.parametrize("line", ["x\n\n", "/\n\n", "port 1\n", "- port:\n", "port | 1\n", "(("])
def test_a_section_of_a_megabyte_costs_no_more_than_a_short_one(line: str) -> None:
    short, long = line * (10_000 // len(line)), line * (1_000_000 // len(line))
    assert times_as_much(partial(in_the_middle, long), partial(in_the_middle, short), 10) < 10


def in_the_middle(text: str) -> Extract | None:
    return extract(text, len(text) // 2, len(text) // 2 + 1000)
