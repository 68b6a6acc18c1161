"""Sentence boundaries, and the promise about offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.pages.sentences import sentences

prose = st.text(st.sampled_from("aAzZ 1.!?…\n\"')]»。！？।؟;-– \tDr.e.g"), max_size=200) | st.text(
    max_size=200
)


@given(prose, st.sampled_from([None, "en", "de", "el", "zh"]))
def test_spans_increase_and_hold_every_visible_character(text: str, language: str | None) -> None:
    spans = sentences(text, language)
    position, held = 0, ""
    for start, end in spans:
        assert position <= start < end <= len(text)
        assert text[position:start].strip() == ""
        held += text[start:end]
        position = end
    assert text[position:].strip() == ""
    assert "".join(held.split()) == "".join(text.split())


@given(prose)
def test_a_sentence_has_no_white_space_at_its_ends_and_no_line_end_inside(text: str) -> None:
    for start, end in sentences(text):
        piece = text[start:end]
        assert piece == piece.strip()
        assert "\n" not in piece


def cut(text: str, language: str | None = "en") -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith paid $3.50 to J. K. Rowling at 5 p.m. on Jan. 5.",
        "See e.g. Fig. 3 for U.S. exports.",
        "She went to https://a.example/c.d?e=f.html today.",
        '"Really?" he asked.',
        "Then... nothing happened.",
        "Is it . . . good?",
        "1. Install it.",
        "3.8. Essential packages",
        "George W. Bush won.",
        "Version 3.11 is out.",
        "Apple Inc. was sued.",
    ],
)
def test_is_one_sentence(sentence: str) -> None:
    assert cut(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is no. Use no. 5.", ["The answer is no.", "Use no. 5."]),
        ("It grew.[3] It ended.", ["It grew.[3]", "It ended."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("He works at Apple Inc. The firm grew.", ["He works at Apple Inc.", "The firm grew."]),
        ("It works. pg_dump writes files.", ["It works.", "pg_dump writes files."]),
        ("Set it. --no-cache disables it.", ["Set it.", "--no-cache disables it."]),
        ("Wait… What? No!", ["Wait…", "What?", "No!"]),
        ("- First\n- Second. More.", ["- First", "- Second.", "More."]),
        ("See circle (p. ). It is round.", ["See circle (p. ).", "It is round."]),
    ],
)
def test_english_text_is_cut_into(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "天气很好。去公园吧！你来吗？", ["天气很好。", "去公园吧！", "你来吗？"]),
        ("ja", "「はい。」と言った。", ["「はい。」", "と言った。"]),
        ("hi", "यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("ar", "كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."]),
        ("el", "Τι κάνεις; Καλά.", ["Τι κάνεις;", "Καλά."]),
        ("de", "Am 3. Oktober kam z. B. Eva. Gut.", ["Am 3. Oktober kam z. B. Eva.", "Gut."]),
    ],
)
def test_other_languages_are_cut_by_their_own_marks(
    language: str, text: str, expected: list[str]
) -> None:
    assert cut(text, language) == expected
