"""Terms of text: words of every script, identifiers, numbers, stems."""

from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.engine.text import analysis
from app.engine.text.analysis import MAX_TERM, is_cut
from tests.costs import times_as_much


def terms(text: str, language: str | None = "en") -> list[str]:
    return analysis.terms(text, language)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param("Running CONNECTIONS", "en", ["run", "connect"], id="folded and stemmed"),
        pytest.param("Was ist die Hauptstadt?", "de", ["hauptstadt"], id="no function words"),
        pytest.param("ﬁle ２０２４", "en", ["file", "2024"], id="compatibility forms"),
        pytest.param("half-life", "en", ["half", "life"], id="parts of hyphenated words only"),
        pytest.param("東京都", "ja", ["東京", "京都"], id="bigrams of Han"),
        pytest.param("水", "zh", ["水"], id="a single Han character"),
        pytest.param("กขค", "th", ["กข", "ขค"], id="bigrams of Thai"),
        pytest.param("買iPhone了", "zh", ["買", "iphon", "了"], id="a Latin word within Han"),
        pytest.param("connections", None, ["connect"], id="unknown Latin text as English"),
        pytest.param("connections", "ru", ["connect"], id="English in Russian text"),
        pytest.param("tea tea", "en", ["tea", "tea"], id="repeats are kept"),
    ],
)
def test_terms(text: str, language: str | None, expected: list[str]) -> None:
    assert terms(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_connections", ["max_connections", "max", "connect"]),
        ("--no-cache", ["--no-cache", "cach"]),
        ("3.11", ["3.11", "3", "11"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("$PATH", ["$path", "path"]),
        ("os.environ", ["os.environ", "os", "environ"]),
        ("maxAge", ["maxage", "max", "age"]),
        ("1,033", ["1033"]),
        ("U.S.", ["us"]),
    ],
)
def test_identifier_yields_itself_and_its_parts(text: str, expected: list[str]) -> None:
    assert terms(f"see {text} here")[1:] == expected


def test_full_stop_does_not_belong_to_the_word_before_it() -> None:
    assert terms("Set work_mem. Done") == terms("Set work_mem") + terms("Done")


def test_devanagari_word_keeps_its_vowel_signs() -> None:
    assert len(terms("हिन्दी", "hi")) == 1


@pytest.mark.parametrize(
    ("text", "same", "language"),
    [
        pytest.param("العَرَبِيَّة", "العربية", "ar", id="Arabic vowel marks"),
        pytest.param("café", "cafe", "fr", id="accents"),
        pytest.param("İstanbul", "istanbul", "tr", id="the dotted capital of Turkish"),
        pytest.param("Auf\u200clage fam\u200dily", "Auflage family", "de", id="joiners"),
    ],
)
def test_what_does_not_matter(text: str, same: str, language: str) -> None:
    assert terms(text, language) == terms(same, language)


def test_region_of_a_language_is_ignored() -> None:
    assert terms("Verbindungen", "de-AT") == terms("Verbindungen", "de")


def test_vietnamese_accents_matter() -> None:
    assert terms("má", "vi") != terms("ma", "vi")


@given(st.text(), st.sampled_from([None, "en", "de", "tr", "zh", "th", "ar", "xx"]))
def test_every_term_is_bounded_and_without_nul(text: str, language: str | None) -> None:
    assert all(0 < len(x) <= MAX_TERM and "\0" not in x for x in terms(text, language))


@given(st.text())
def test_chunks_that_were_met_before_have_the_same_terms(text: str) -> None:
    met = terms(text)
    analysis._chunks.clear()
    assert met == terms(text, "en")


@given(st.text())
def test_terms_are_the_same_where_a_combining_mark_stands_elsewhere(text: str) -> None:
    assume(not is_cut(text))
    assert terms(f"{text}\nx\u0301") == [*terms(text), "x"]


def test_a_run_of_a_million_letters_is_cut_in_linear_time() -> None:
    long, longer = "a" * 250_000, "a" * 1_000_000
    assert [len(x) for x in terms(longer)] == [MAX_TERM]
    assert times_as_much(partial(terms, longer), partial(terms, long), 8) < 8
