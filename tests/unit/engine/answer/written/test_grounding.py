"""Quotes found again: exactly, folded, or not at all; in every script."""

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.engine.answer.quotes.folded_text import fold
from app.engine.answer.quotes.grounding import Grounding

OWLS = "The barn owl hunts at night. A clutch holds four to seven eggs, which hatch after 30 days."


def cited(quote: str, page: str) -> str | None:
    """The slice a quote is given, after a check that the offsets say the same."""
    place = Grounding().locate(quote, page)
    return page[place.start : place.end] if place else None


def match(quote: str, page: str) -> str | None:
    place = Grounding().locate(quote, page)
    return place.match if place else None


def test_a_verbatim_quote_is_found_exactly() -> None:
    assert match("A clutch holds four to seven eggs", OWLS) == "exact"


@pytest.mark.parametrize(
    ("quote", "page", "slice"),
    [
        ('a "quick" fox - it ran', "See a “quick” fox – it ran off", "a “quick” fox – it ran"),
        ("soft hyphen here", "a soft hy\u00adphen here", "soft hy\u00adphen here"),
        ("two  words\nhere", "two words here", "two words here"),
        ("two words here", "two\u00a0words \n here", "two\u00a0words \n here"),
        ("file of 2024", "the ﬁle of ２０２４ is", "ﬁle of ２０２４"),
        ("café au lait", "cafe\u0301 au lait", "cafe\u0301 au lait"),
        ("zero width text", "ze\u200bro wi\u200ddth text", "ze\u200bro wi\u200ddth text"),
        ("한국어 문장 하나", unicodedata.normalize("NFD", "한국어 문장 하나"),
         unicodedata.normalize("NFD", "한국어 문장 하나")),
    ],
)  # fmt: skip
def test_spelling_that_means_the_same_is_found_and_cited_as_the_page_has_it(
    quote: str, page: str, slice: str
) -> None:
    assert (cited(quote, page), match(quote, page)) == (slice, "normalised")


def test_quotation_marks_around_a_quote_are_the_models_and_fall_away() -> None:
    assert cited("“A clutch holds four”", OWLS) == "A clutch holds four"


@pytest.mark.parametrize(
    "quote",
    [
        "A clutch holds nine brown eggs",
        "a clutch HOLDS four to seven eggs",
        "The barn owl hunts at night. A clutch holds four to eight eggs",
        "The barn owl hatch after 30 days",
        "The barn owl holds four eggs",
        "eggs",
        "",
        "   …  ",
        "x" * 2000,
    ],
)
def test_what_the_page_does_not_say_is_not_found(quote: str) -> None:
    assert cited(quote, OWLS) is None


@pytest.mark.parametrize(
    ("quote", "page", "slice"),
    [
        ("5 people came", "About 15 people came", "15 people came"),
        ("2 million people", "Some 1.2 million people", "1.2 million people"),
        ("5 degrees outside", "It is -5 degrees outside", "-5 degrees outside"),
        ("rose by 12", "It rose by 12 % then", "rose by 12 %"),
        ("price of 30", "price of 30,000 euros", "price of 30,000"),
        ("cat sat", "concat saturated", "concat saturated"),
        ("die Mauer plan", "die Mauer plante", "die Mauer plante"),
        ("au cafe", "au cafe\u0301 noir", "au cafe\u0301"),
    ],
)
def test_a_quote_never_cuts_a_word_or_a_number(quote: str, page: str, slice: str) -> None:
    assert cited(quote, page) == slice


def test_a_quote_is_looked_for_first_where_the_model_saw_it() -> None:
    page = "one two three. " * 3
    place = Grounding().locate("one two three", page, (15, 30))
    assert place is not None
    assert (place.start, place.end) == (15, 28)


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("灯塔高42米", "灯塔建于1897年。灯塔高42米。"),
        ("หอคอยสูงสี่สิบเมตร", "อาคาร หอคอยสูงสี่สิบเมตร และ"),
        ("البرج ارتفاعه ٤٢ متراً", "إن البرج ارتفاعه ٤٢ متراً تقريبا"),
        ("मीनार की ऊँचाई", "यह मीनार की ऊँचाई है"),
        ("башня построена", "Эта башня построена в 1911"),
    ],
)
def test_quotes_of_any_script_are_slices(quote: str, page: str) -> None:
    assert cited(quote, page) == quote


# Letters of several scripts with marks, ligatures, jamo, quotes, spaces, what is invisible.
LETTERS = st.sampled_from(
    "abcAB 15.,-“”\"'\n\t–\u0301\u0308éﬁß\u00ad\u200b\u200d\u00a0\ufe0f😀灯塔高ดีก็ًंकि가각"
    "\u1112\u1161\u11abｶﾞ½…\u2028\u202e¨\x00"
)
PAGES = st.text(LETTERS, max_size=60)


@given(PAGES, st.data())
def test_whatever_is_cut_from_a_page_and_spelled_otherwise_is_cited_as_a_slice(
    page: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(page)))
    end = data.draw(st.integers(start, len(page)))
    for cut in (start, end):  # not between a letter, or a dash, and its mark
        assume(fold(page[:cut]).text + fold(page[cut:]).text == fold(page).text)
        assume(not unicodedata.category(page[cut : cut + 1] or " ").startswith("M"))
    form = data.draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
    quote = unicodedata.normalize(form, page[start:end]).replace("“", '"').replace("–", "-")
    place = Grounding().locate(quote, page)
    if place is not None:
        assert 0 <= place.start < place.end <= len(page)
        assert fold(quote).text.strip(" \"'.…") in fold(page[place.start : place.end]).text


@given(PAGES, PAGES)
def test_whatever_is_called_exact_is_the_slice_letter_by_letter(quote: str, page: str) -> None:
    place = Grounding().locate(quote, page)
    if place is not None and place.match == "exact":
        assert page[place.start : place.end] in quote


@given(PAGES)
def test_folding_knows_the_way_back(page: str) -> None:
    folded = fold(page)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert folded.starts == sorted(folded.starts)
    assert all(a < b for a, b in zip(folded.starts, folded.ends, strict=True))


@given(PAGES, PAGES)
@example("\u1112\ufe0f", "\u1161")  # letters of one Hangul syllable, and a selector between
@example("\uac00\u200b", "\u11a8")
def test_folding_twice_changes_nothing(a: str, b: str) -> None:
    once = fold(a + b).text
    assert fold(once).text == once


def test_a_place_that_cuts_no_word_comes_before_one_that_does() -> None:
    page = "In May 15 people came. In June 5 people came."
    assert cited("5 people came", page) == "5 people came"
    assert cited("5  people came", page) == "5 people came"
