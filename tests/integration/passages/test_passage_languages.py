"""The language of a passage is stored, and is what it is analysed, filtered and embedded by."""

import pytest

from app.core import db
from app.domains.library.passages import retrieval
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.store import located_passages
from app.engine.search.interface import Filter, IndexedPassage, LexQuery
from tests import builders
from tests.unit.engine.pages.test_language import ENGLISH, PORTUGUESE

MIXED = f"# Timeout\n\n{ENGLISH}\n\n{ENGLISH}\n\n## Tempo limite\n\n{PORTUGUESE}"
RETRIEVER = PostgresRetriever(db.reading)


@pytest.fixture
def found(database: str) -> dict[str, IndexedPassage]:
    """The passages of a page in English with a section in Portuguese, by the start of each."""
    builders.indexed_page("https://a.example.org/timeout", MIXED)
    with db.reading() as reader:
        ids = [id for (id,) in reader.execute("select id from passages").fetchall()]
        return {x.text.split("\n")[0]: x for x in retrieval.passages(reader, ids)}


def test_a_passage_has_its_own_language(
    found: dict[str, IndexedPassage],
) -> None:
    assert {x.language for x in found.values()} == {"en", "pt"}


def test_a_filter_by_language_is_about_passages(found: dict[str, IndexedPassage]) -> None:
    query = LexQuery((("segund", 1.0), ("second", 1.0)))
    for language in ("en", "pt"):
        hits = RETRIEVER.lexical(NAMESPACE, query, 9, Filter(languages=(language,)))
        assert hits
        assert {hit.passage_id for hit in hits} <= {
            x.id for x in found.values() if x.language == language
        }


def test_the_terms_are_those_of_the_language_of_the_passage(
    found: dict[str, IndexedPassage],
) -> None:
    """`segundos` has the stem `segund` in Portuguese, `segundo` in English."""
    hits = RETRIEVER.lexical(NAMESPACE, LexQuery((("segund", 1.0),)), 9)
    assert [hit.passage_id for hit in hits] == [found["Tempo limite"].id]


def test_a_passage_that_was_stored_without_one_is_in_that_of_its_page(
    found: dict[str, IndexedPassage],
) -> None:
    with db.transaction() as tx:
        tx.execute("update passages set language = null")
        located = located_passages(tx, [x.id for x in found.values()])
    assert {x.language for x in located} == {"en"}
