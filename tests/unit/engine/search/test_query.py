"""Reading a query: terms, phrases, exclusions, languages."""

import pytest

from app.engine.search.query import Query, fold, guess_language, parse
from app.engine.text import analysis


def read(text: str, *languages: str) -> Query:
    return parse(text, languages)


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        pytest.param("dump database dump", "terms", ("dump", "databas"), id="terms are distinct"),
        pytest.param('an "Exact  Phrase"', "phrases", ("exact phrase",), id="phrases are folded"),
        pytest.param('"large database"', "terms", ("larg", "databas"), id="and are terms as well"),
        pytest.param("jaguar -animals", "excluded", ("anim",), id="a minus excludes a word"),
        pytest.param("jaguar -animals", "terms", ("jaguar",), id="which is not searched"),
        pytest.param('owl -"barn owl"', "phrases", (), id="nor required are excluded words"),
        pytest.param('owl -"Barn owl"', "excluded_phrases", ("barn owl",), id="but excluded"),
        pytest.param('owl -"barn owl"', "terms", ("owl",), id="and not searched"),
        pytest.param("half-life", "excluded", (), id="a hyphen inside a word excludes nothing"),
        pytest.param("the who", "terms", ("the", "who"), id="function words alone are kept"),
        pytest.param("  ?! ", "terms", (), id="an empty query has no terms"),
        pytest.param('Is a 27" or 32" monitor better?', "phrases", (), id="inches quote nothing"),
    ],
)
def test_a_query_is_read_as(text: str, part: str, expected: tuple[str, ...]) -> None:
    assert getattr(read(text), part) == expected


@pytest.mark.parametrize("unseen", ["\xad", "\u200b", "\u2060", "\u202e", "\u200c", "\u200d"])
def test_what_nobody_sees_in_a_question_parts_no_word(unseen: str) -> None:
    query = read(f'the "Donaudampf{unseen}schiff" of Auf{unseen}lage')
    assert query.terms == read('the "Donaudampfschiff" of Auflage').terms


def test_options_are_searched_not_excluded() -> None:
    query = read("docker build --no-cache -t")
    assert query.excluded == ()
    assert {"--no-cache", "-t"} <= set(query.terms)


@pytest.mark.parametrize("hyphens", ["\u2014", "\u2013", "\u2212\u2212", "\u2010\u2010"])
def test_an_option_is_searched_however_its_hyphens_are_set(hyphens: str) -> None:
    assert read(f"What is {hyphens}no-cache for?").terms == read("What is --no-cache for?").terms


def test_a_dash_within_a_sentence_begins_no_option() -> None:
    assert not any(term.startswith("-") for term in read("owls\u2014mice \u2014 at 5\u22123").terms)


def test_collection_language_adds_its_reading() -> None:
    query = read("Verbindungen", "en", "de")
    assert {analysis.terms("Verbindungen", x)[0] for x in ("en", "de")} == set(query.terms)


def test_word_read_in_two_ways_counts_once_per_language() -> None:
    query = read("Verbindungen", "en", "de")
    assert len(query.terms_in("de")) == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("Wie viele Einwohner hat die Stadt?", "de", id="by function words"),
        pytest.param("Привет мир", "ru", id="by the script"),
        pytest.param("PostgreSQL", "fr", id="else by the collection"),
    ],
)
def test_the_language_of_a_query_is_told(text: str, language: str) -> None:
    assert guess_language(text, ["fr"]) == language


def test_a_name_with_signs_is_no_word_of_a_language() -> None:
    assert guess_language("C++ smart pointers") == "en"


def test_repeated_term_weighs_more() -> None:
    assert read("tea tea pot").lexical().terms == (("tea", 2.0), ("pot", 1.0))


def test_fold_joins_white_space_and_case() -> None:
    assert fold("Ａ\n B") == "a b"
