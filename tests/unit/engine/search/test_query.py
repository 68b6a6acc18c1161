"""Reading a query: terms, phrases, exclusions, languages."""

import pytest

from app.engine.search.query import Query, fold, guess_language, parse
from app.engine.text import analysis


def read(text: str, *languages: str) -> Query:
    return parse(text, languages)


def test_terms_are_distinct_and_in_order() -> None:
    assert read("dump database dump").terms == ("dump", "databas")


def test_quoted_string_is_a_folded_phrase() -> None:
    assert read('the "Exact  Phrase" here').phrases == ("exact phrase",)


def test_quoted_words_are_also_terms() -> None:
    assert read('"large database"').terms == ("larg", "databas")


def test_minus_word_is_excluded_and_not_searched() -> None:
    query = read("jaguar -animals")
    assert (query.terms, query.excluded) == (("jaguar",), ("anim",))


def test_options_are_searched_not_excluded() -> None:
    query = read("docker build --no-cache -t")
    assert query.excluded == ()
    assert {"--no-cache", "-t"} <= set(query.terms)


@pytest.mark.parametrize("hyphens", ["\u2014", "\u2013", "\u2212\u2212", "\u2010\u2010"])
def test_an_option_is_searched_however_its_hyphens_are_set(hyphens: str) -> None:
    assert read(f"What is {hyphens}no-cache for?").terms == read("What is --no-cache for?").terms


def test_a_dash_within_a_sentence_begins_no_option() -> None:
    assert not any(term.startswith("-") for term in read("owls\u2014mice \u2014 at 5\u22123").terms)


def test_hyphen_inside_a_word_excludes_nothing() -> None:
    assert read("half-life").excluded == ()


def test_query_of_function_words_keeps_its_words() -> None:
    assert read("the who").terms == ("the", "who")


def test_empty_query_has_no_terms() -> None:
    assert read("  ?! ").terms == ()


def test_collection_language_adds_its_reading() -> None:
    query = read("Verbindungen", "en", "de")
    assert {analysis.terms("Verbindungen", x)[0] for x in ("en", "de")} == set(query.terms)


def test_word_read_in_two_ways_counts_once_per_language() -> None:
    query = read("Verbindungen", "en", "de")
    assert len(query.terms_in("de")) == 1


def test_function_words_tell_the_language() -> None:
    assert guess_language("Wie viele Einwohner hat die Stadt?") == "de"


def test_script_tells_the_language() -> None:
    assert guess_language("Привет мир") == "ru"


def test_without_a_sign_the_collection_decides() -> None:
    assert guess_language("PostgreSQL", ["fr"]) == "fr"


def test_repeated_term_weighs_more() -> None:
    assert read("tea tea pot").lexical().terms == (("tea", 2.0), ("pot", 1.0))


def test_fold_joins_white_space_and_case() -> None:
    assert fold("Ａ\n B") == "a b"


def test_inches_are_no_quotation_marks() -> None:
    assert read('Is a 27" or 32" monitor better?').phrases == ()
