"""Quoted phrases find their passage wherever it stands."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.core import db, ids
from app.domains.library.passages import retrieval, service
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.prepared import prepare
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from app.engine.search.query import parse
from bench.memory_retriever import MemoryRetriever
from tests.databases import Databases

FEW = 3


@pytest.fixture(scope="module")
def index(databases: Databases) -> Iterator[PostgresRetriever]:
    """Many passages on owls and eggs that are better hits than the one that says `eggs of owls`."""
    with databases.lend():
        add(*["owls eggs owls eggs owls eggs"] * 30)
        add("For a long time nobody had seen the white eggs of owls in a field of barley and rye")
        yield PostgresRetriever(db.reading)


def add(*texts: str) -> list[UUID]:
    """The sources of new pages."""
    corpus, now, prepared = ids.new(), datetime.now(UTC), []
    for text in texts:
        source = ids.new()
        url = f"https://docs.example.org/{source}"
        page = read(f"{text}.\n".encode(), "text/plain", None, url)
        prepared.append(prepare(corpus, source, url, prepare_page(page), now))
    with db.transaction() as tx:
        service.replace(tx, prepared)
    return [each.source_id for each in prepared]


def find(index: PostgresRetriever, text: str) -> list[str]:
    query = parse(text, language="en")
    hits, _ = retrieval.find(index, db.reading, query, FEW)
    with db.reading() as reader:
        return [
            found.text for found in retrieval.passages(reader, [hit.passage_id for hit in hits])
        ]


def test_a_passage_far_down_is_found_by_the_phrase_it_holds(
    index: PostgresRetriever,
) -> None:
    assert ["white eggs of owls" in text for text in find(index, 'owls "eggs of owls"')] == [True]


def test_a_phrase_is_found_whatever_its_case(index: PostgresRetriever) -> None:
    assert len(find(index, '"Eggs of Owls"')) == 1


def test_every_phrase_of_a_query_has_to_be_there(index: PostgresRetriever) -> None:
    assert find(index, '"eggs of owls" "barley of rye"') == []


def test_a_phrase_that_ends_within_a_word_is_found_among_the_best(
    index: PostgresRetriever,
) -> None:
    assert len(find(index, 'barley "field of barl"')) == 1


def test_without_a_phrase_the_best_are_found(index: PostgresRetriever) -> None:
    assert len(find(index, "owls eggs")) == FEW


def test_a_word_not_wanted_leaves_room_for_those_further_down(
    index: PostgresRetriever,
) -> None:
    added = add(*["owls eggs mice"] * 10)
    assert ["mice" in text for text in find(index, "mice eggs -owls")] == []
    added += add("mice")
    assert find(index, "mice eggs -owls") == ["mice."]
    with db.transaction() as tx:
        service.remove(tx, added)


QUERY = parse('owls "eggs of owls" -mice', language="en")


def test_a_query_with_phrases_and_exclusions_reads_the_index_once(
    index: PostgresRetriever,
) -> None:
    readings = []

    @contextmanager
    def counted() -> Iterator[db.Tx]:
        with db.reading() as reader:
            readings.append(reader)
            yield reader

    once = PostgresRetriever(counted)
    retrieval.find(once, db.reading, QUERY, FEW)
    assert len(readings) == 1


def test_hits_come_with_the_statistics_of_the_query(index: PostgresRetriever) -> None:
    _, stats = retrieval.find(index, db.reading, QUERY, FEW)
    assert (stats, stats.df["owl"]) == (index.stats(NAMESPACE, QUERY.terms), 31)


def test_a_retriever_that_knows_only_the_interface_finds_phrases_too(
    index: PostgresRetriever,
) -> None:
    known = MemoryRetriever()
    with db.reading() as reader:
        every = db.values(reader, "select id from passages")
        known.upsert(NAMESPACE, retrieval.passages(reader, every))
    hits, stats = retrieval.find(index, db.reading, QUERY, FEW)
    theirs, of_theirs = retrieval.find(known, db.reading, QUERY, FEW)
    assert [hit.passage_id for hit in theirs] == [hit.passage_id for hit in hits]
    assert of_theirs.df == stats.df
