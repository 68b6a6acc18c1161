"""The canonical text: one spelling, nothing invisible, offsets that hold."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.pages.blocks.canonical import Block, BlockKind, canonical, lay_out

anything = st.text(st.characters(exclude_categories=()), max_size=200)
blocks = st.lists(
    st.builds(Block, st.sampled_from(BlockKind), anything, st.integers(1, 6), st.integers(0, 2)),
    max_size=12,
)


@given(anything)
def test_canonical_text_is_its_own_canonical_form(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


@given(anything)
def test_canonical_text_can_be_stored_and_hashed(text: str) -> None:
    result = canonical(text)
    result.encode()
    assert not [c for c in result if unicodedata.category(c) in ("Cc", "Cs", "Co") and c != "\n"]


@given(anything)
def test_no_line_ends_in_a_space_and_no_two_lines_are_blank(text: str) -> None:
    result = canonical(text)
    assert not [line for line in result.split("\n") if line.endswith(" ")]
    assert "\n\n\n" not in result


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("e\u0301", "é"),
        ("ﬁ", "ﬁ"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\u00a0b\u3000c", "a b c"),
        ("in\u00advisible\u200b\ufeff", "invisible"),
        ("\u202eevil\u202c", "evil"),
        ("plain\U000e0041\U000e0042", "plain"),
        ("x\x00y\ud800z", "xyz"),
        ("icon\uf0c1", "icon"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("a\tb", "a   b"),
        ("    code  \n\n\n\nend\n", "    code\n\nend"),
    ],
)
def test_canonical_form_of(raw: str, expected: str) -> None:
    assert canonical(raw) == expected


@given(blocks)
def test_laid_out_text_is_canonical(parts: list[Block]) -> None:
    text = lay_out(parts).text
    assert canonical(text) == text


@given(blocks)
def test_headings_and_listings_are_where_their_offsets_say(parts: list[Block]) -> None:
    layout = lay_out(parts)
    for heading in layout.headings:
        end = heading.start + len(heading.text)
        assert layout.text[heading.start : end] == heading.text
        assert layout.text[heading.start - 1 : heading.start] in ("", "\n")
        assert layout.text[end : end + 1] in ("", "\n")
    listings = [canonical(b.text) for b in parts if b.kind is BlockKind.CODE and canonical(b.text)]
    assert [layout.text[start:end] for start, end in layout.code] == listings


def test_a_page_that_begins_in_a_block_without_text_begins_with_the_next() -> None:
    blocks = [
        Block(BlockKind.PARAGRAPH, "One.", pages=(0,)),
        Block(BlockKind.PARAGRAPH, "\u200b", pages=(0,)),
        Block(BlockKind.PARAGRAPH, "Two goes on.", pages=(4,)),
    ]
    assert lay_out(blocks).pages == (0, 4, 10)
