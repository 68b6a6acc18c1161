"""Terms of text: words of every script, identifiers, numbers, stems."""

from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.engine.text.analysis import MAX_TERM, Analyzer, is_cut
from tests.costs import times_as_much

ANALYZER = Analyzer()


def terms(text: str, language: str | None = "en") -> list[str]:
    return ANALYZER.terms(text, language)


def test_words_are_folded_and_stemmed() -> None:
    assert terms("Running CONNECTIONS") == ["run", "connect"]


def test_function_words_of_the_language_are_left_out() -> None:
    assert terms("Was ist die Hauptstadt?", "de") == ["hauptstadt"]


def test_compatibility_forms_become_plain_letters() -> None:
    assert terms("ﬁle ２０２４") == ["file", "2024"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_connections", ["max_connections", "max", "connect"]),
        ("--no-cache", ["--no-cache", "cach"]),
        ("pg_dump", ["pg_dump", "pg", "dump"]),
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


def test_hyphenated_word_yields_its_parts_only() -> None:
    assert terms("half-life") == ["half", "life"]


def test_full_stop_does_not_belong_to_the_word_before_it() -> None:
    assert terms("Set work_mem. Done") == terms("Set work_mem") + terms("Done")


def test_devanagari_word_keeps_its_vowel_signs() -> None:
    assert len(terms("हिन्दी", "hi")) == 1


def test_arabic_word_with_vowel_marks_equals_the_bare_word() -> None:
    assert terms("العَرَبِيَّة", "ar") == terms("العربية", "ar")


def test_han_run_becomes_bigrams() -> None:
    assert terms("東京都", "ja") == ["東京", "京都"]


def test_single_han_character_becomes_itself() -> None:
    assert terms("水", "zh") == ["水"]


def test_thai_run_becomes_bigrams() -> None:
    assert terms("กขค", "th") == ["กข", "ขค"]


def test_latin_letters_inside_a_han_run_stay_a_word() -> None:
    assert terms("買iPhone了", "zh") == ["買", "iphon", "了"]


def test_unknown_latin_text_is_stemmed_as_english() -> None:
    assert terms("connections", None) == ["connect"]


def test_region_of_a_language_is_ignored() -> None:
    assert terms("Verbindungen", "de-AT") == terms("Verbindungen", "de")


def test_english_word_in_russian_text_is_stemmed_as_english() -> None:
    assert terms("connections", "ru") == ["connect"]


def test_accents_do_not_matter() -> None:
    assert terms("café", "fr") == terms("cafe", "fr")


def test_vietnamese_accents_matter() -> None:
    assert terms("má", "vi") != terms("ma", "vi")


def test_turkish_dotted_capital_folds_to_a_plain_i() -> None:
    assert terms("İstanbul", "tr") == terms("istanbul", "tr")


def test_repeats_are_kept() -> None:
    assert terms("tea tea") == ["tea", "tea"]


@given(st.text(), st.sampled_from([None, "en", "de", "tr", "zh", "th", "ar", "xx"]))
def test_every_term_is_bounded_and_without_nul(text: str, language: str | None) -> None:
    assert all(0 < len(x) <= MAX_TERM and "\0" not in x for x in terms(text, language))


@given(st.text())
def test_a_warm_analyzer_gives_the_terms_of_a_new_one(text: str) -> None:
    assert terms(text) == Analyzer().terms(text, "en")


@given(st.text())
def test_terms_are_the_same_where_a_combining_mark_stands_elsewhere(text: str) -> None:
    assume(not is_cut(text))
    assert terms(f"{text}\nx\u0301") == [*terms(text), "x"]


def test_a_run_of_a_million_letters_is_cut_in_linear_time() -> None:
    long, longer = "a" * 250_000, "a" * 1_000_000
    assert [len(x) for x in terms(longer)] == [MAX_TERM]
    assert times_as_much(partial(terms, longer), partial(terms, long), 8) < 8
