"""Passages: sizes, boundaries, headings and exact offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.pages.blocks.canonical import Block, BlockKind, lay_out
from app.engine.pages.page import Page
from app.engine.pages.passages import MOST_CHARACTERS, MOST_WORDS, count_words, split
from app.engine.pages.sentences import sentences

words = st.sampled_from(["word", "Two words.", "東京です。", "ประเทศไทย", "x" * 700, "why?", "a: "])
texts = st.lists(words, max_size=120).map(" ".join)
blocks = st.lists(
    st.builds(Block, st.sampled_from(BlockKind), texts, st.integers(1, 4), st.integers(0, 1)),
    max_size=8,
)


def page(*parts: Block) -> Page:
    layout = lay_out(parts)
    return Page(layout.text, headings=layout.headings, code=layout.code, language="en")


def prose(count: int, word: str = "word") -> str:
    """`count` words in sentences of ten."""
    sentence = "Ten " + f"{word} " * 8 + "here."
    return " ".join([sentence] * (count // 10))


@given(blocks)
def test_passages_hold_all_text_in_order_and_within_bounds(parts: list[Block]) -> None:
    whole = page(*parts)
    position = 0
    for ordinal, passage in enumerate(split(whole)):
        assert passage.ordinal == ordinal
        assert whole.text[position : passage.start].strip() == ""
        piece = whole.text[passage.start : passage.end]
        assert piece == piece.strip("\n")
        assert 0 < len(piece) <= MOST_CHARACTERS
        assert count_words(piece) <= MOST_WORDS + 1e-6
        position = passage.end
    assert whole.text[position:].strip() == ""


def test_long_prose_is_cut_between_sentences() -> None:
    whole = page(Block(BlockKind.PARAGRAPH, prose(600)))
    ends = {end for _, end in sentences(whole.text)}
    assert {passage.end for passage in split(whole)} <= ends


def test_a_passage_of_prose_has_between_90_and_130_words() -> None:
    whole = page(Block(BlockKind.PARAGRAPH, prose(1300)))
    sizes = [count_words(whole.text[p.start : p.end]) for p in split(whole)]
    assert [size for size in sizes[:-1] if not 90 <= size <= 130] == []


def test_a_heading_begins_the_passage_it_introduces() -> None:
    whole = page(
        Block(BlockKind.PARAGRAPH, prose(30)),
        Block(BlockKind.HEADING, "Usage", 2),
        Block(BlockKind.PARAGRAPH, prose(30)),
    )
    second = split(whole)[1]
    assert whole.text[second.start :].startswith("Usage\n\nTen")


def test_the_heading_path_leads_from_the_top_to_the_section() -> None:
    whole = page(
        Block(BlockKind.HEADING, "Manual", 1),
        Block(BlockKind.HEADING, "Install", 2),
        Block(BlockKind.PARAGRAPH, "First."),
        Block(BlockKind.HEADING, "Linux", 3),
        Block(BlockKind.PARAGRAPH, "Second."),
        Block(BlockKind.HEADING, "Use", 2),
        Block(BlockKind.PARAGRAPH, "Third."),
    )
    assert [passage.heading_path for passage in split(whole)] == [
        ("Manual", "Install"),
        ("Manual", "Install", "Linux"),
        ("Manual", "Use"),
    ]


def test_a_listing_stays_whole_with_the_sentence_that_introduces_it() -> None:
    code = "\n\n".join(f"step {n} of many" for n in range(25))
    whole = page(
        Block(BlockKind.PARAGRAPH, prose(80) + " Run this:"),
        Block(BlockKind.CODE, code),
        Block(BlockKind.PARAGRAPH, prose(60)),
    )
    first = split(whole)[0]
    assert whole.text[first.start : first.end].endswith("Run this:\n\n" + code)


def test_a_sentence_that_goes_on_after_a_listing_begins_no_passage() -> None:
    whole = page(
        Block(BlockKind.PARAGRAPH, prose(90) + " Users who have"),
        Block(BlockKind.CODE, "RequireValidShell off"),
        Block(BlockKind.PARAGRAPH, "in their files may log in. " + prose(60)),
    )
    first = split(whole)[0]
    assert "in their files may log in." in whole.text[first.start : first.end]


def test_a_sentence_of_five_hundred_words_is_cut_at_the_cap() -> None:
    whole = page(Block(BlockKind.PARAGRAPH, "word " * 500))
    sizes = [count_words(whole.text[p.start : p.end]) for p in split(whole)]
    assert sizes == [MOST_WORDS, 200]


@pytest.mark.parametrize(("text", "words"), [("天气很好", 2.0), ("ประเท", 1.0)])
def test_unspaced_writing_is_counted_by_characters(text: str, words: float) -> None:
    assert count_words(text) == words


@given(st.text())
def test_words_count_the_same_where_unspaced_writing_stands_elsewhere(text: str) -> None:
    assert count_words(f"{text}\n語") == pytest.approx(count_words(text) + 0.5)


@pytest.mark.parametrize("text", ["one two three", "одна две три"])
def test_counting_words_stops_at_what_is_enough(text: str) -> None:
    assert count_words(text, most=2) == 2
