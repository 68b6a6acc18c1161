"""The index of an account with few passages: one row, and blocks once it has grown."""

import pytest

from app.core import db
from app.domains.library.passages.index import compaction
from app.domains.library.passages.index.generation_store import NAMESPACE, OF_ACCOUNTS
from app.domains.library.passages.index.postings import ALL_TERMS, FRESH, unpacked
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import IndexedPassage, LexQuery
from tests.integration.passages.test_rebuilding import compact

ADA, BOB = f"{OF_ACCOUNTS}ada", f"{OF_ACCOUNTS}bob"
ALPHA = LexQuery((("alpha", 1.0),))


@pytest.fixture
def index(database: str) -> PostgresRetriever:
    return PostgresRetriever(db.reading, begin=db.transaction)


def add(index: PostgresRetriever, ns: str, *ids: int, text: str = "alpha beta") -> None:
    index.upsert(ns, [IndexedPassage(id, f"s{id}", text, language="en") for id in ids])
    compact()


def terms_in_blocks() -> list[int]:
    with db.reading() as reader:
        return list(db.values(reader, "select term from lexical_blocks order by term"))


def found(index: PostgresRetriever, ns: str) -> list[int]:
    return [hit.passage_id for hit in index.lexical(ns, ALPHA, 100)]


def test_each_account_has_one_row(index: PostgresRetriever) -> None:
    add(index, ADA, 1, 2)
    add(index, ADA, 3)
    add(index, BOB, 4)
    assert terms_in_blocks() == [ALL_TERMS, ALL_TERMS]
    assert (found(index, ADA), found(index, BOB)) == ([1, 2, 3], [4])
    assert index.stats(ADA, ["alpha"]).df == {"alpha": 3}


def test_what_the_operator_indexed_has_blocks_however_little_it_is(
    index: PostgresRetriever,
) -> None:
    add(index, NAMESPACE, 1)
    assert len(terms_in_blocks()) == 2
    assert ALL_TERMS not in terms_in_blocks()


def test_a_row_that_has_grown_becomes_blocks_and_they_stay(
    index: PostgresRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "SMALL", 6)  # postings: three passages of two words
    add(index, ADA, 1, 2, 3)
    assert terms_in_blocks() == [ALL_TERMS]
    add(index, ADA, 4)
    assert len(terms_in_blocks()) == 2
    assert ALL_TERMS not in terms_in_blocks()
    index.delete(ADA, ["s1", "s2", "s3"])
    add(index, ADA, 5)
    assert ALL_TERMS not in terms_in_blocks()
    assert found(index, ADA) == [4, 5]


def test_what_is_deleted_leaves_the_row(index: PostgresRetriever) -> None:
    add(index, ADA, 1, 2, 3)
    index.delete(ADA, ["s2"])
    compact()
    with db.reading() as reader:
        packed = db.value(reader, "select postings from lexical_blocks")
        assert db.value(reader, "select count(*) from lexical_dead") == 0
    assert set(unpacked(bytes(packed), FRESH)["posting"]["passage"].tolist()) == {1, 3}
    assert found(index, ADA) == [1, 3]


def test_an_index_that_nobody_needs_leaves_no_row(index: PostgresRetriever) -> None:
    add(index, ADA, 1)
    add(index, BOB, 2)
    with db.transaction() as tx:
        tx.execute("update lexical_generations set state = 'left' where ns = %s", [ADA])
    compact()
    assert terms_in_blocks() == [ALL_TERMS]
    assert (found(index, ADA), found(index, BOB)) == ([], [2])
