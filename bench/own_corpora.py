"""A search in an account's own documents, among few accounts and among many, and in a large one.

    python -m bench.own_corpora [--accounts 10000] [--rounds 400] [--million]

Two databases hold ten documents of each account, a passage of 80 words each: one of a hundredth of
the accounts, and one of all. Each round asks both for the best of one account, in turn about who
goes first. Two more hold one account each: with as many documents as all of the others have
together, and with a hundredth of them; with `--million` each document of these has ten passages.
Prints how long indexing took, and how large the index is.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import mean, median
from typing import LiteralString
from uuid import UUID

import psycopg

from app.core import db, ids
from app.core.db import Reader
from app.domains.library.passages.index import compaction, compaction_store, retriever
from app.domains.library.passages.index.generation_store import namespace_of
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import IndexedPassage, LexQuery
from bench.figures import Aim, compared, conclude, percentile
from bench.machine import Machine, machine

DOCUMENTS, WORDS, VOCABULARY = 10, 80, 20_000
FREQUENT = 50  # words that would come before
LONG = 10  # passages of a document of the million
PER_TRANSACTION, PER_MERGE = 1_000, 32_000  # passages
GROWTH = 1.2
SIZE: LiteralString = "select pg_database_size(current_database())"


class Library:
    """A database with the documents of some accounts."""

    def __init__(
        self, started: Machine, name: str, accounts: int, documents: int, length: int = 1
    ) -> None:
        self.url, self.chance = started.database(name), random.Random(accounts)
        self.accounts = [ids.new() for _ in range(accounts)]
        self.name, self.length = name, length
        self.passages = accounts * documents * length
        db.open(self.url, size=2)
        empty, began = _size(), time.perf_counter()
        self._index(documents)
        self.seconds = time.perf_counter() - began
        self.bytes = _size() - empty
        db.close()
        self.connection = psycopg.connect(db.conninfo(self.url), autocommit=True)
        self.connection.execute("vacuum analyze")
        self.index = PostgresRetriever(self.reading)
        print(
            f"{name}: {accounts:,} accounts, {self.passages:,} passages,"
            f" indexed in {self.seconds:.0f} s, {self.bytes / 1e6:.0f} MB,"
            f" {self.bytes / self.passages:,.0f} bytes a passage",
            flush=True,
        )

    def _index(self, documents: int) -> None:
        """A batch after another, and after some of them what is new is merged."""
        waiting: list[tuple[UUID, list[retriever.Analysed]]] = []
        waits = unmerged = 0
        for account, some in self._batches(documents):
            waiting.append((account, [self._passage(n) for n in some]))
            waits += len(some)
            if waits >= PER_TRANSACTION:
                _write(waiting)
                waiting, waits, unmerged = [], 0, unmerged + waits
            if unmerged >= PER_MERGE:
                _merge()
                unmerged = 0
                print(f"{self.name}: {some[-1] + 1:,} of {self.passages:,} passages", flush=True)
        _write(waiting)
        _merge()

    def _batches(self, documents: int) -> Iterator[tuple[UUID, range]]:
        """Numbers of passages, of one account each."""
        size = documents * self.length
        for number, account in enumerate(self.accounts):
            for first in range(number * size, (number + 1) * size, PER_TRANSACTION):
                yield account, range(first, min((number + 1) * size, first + PER_TRANSACTION))

    def _passage(self, number: int) -> retriever.Analysed:
        source = str(number // self.length)
        passage = IndexedPassage(id=number + 1, source_id=source, text="", language="en")
        return passage, self.words(WORDS)

    def words(self, most: int) -> list[str]:
        """Words as often as those of a language are (Zipf's law), without its most frequent ones:
        function words are in no index.
        """
        return [
            f"w{int(FREQUENT * (VOCABULARY / FREQUENT) ** self.chance.random())}"
            for _ in range(most)
        ]

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        yield self.connection  # type: ignore[misc]

    def seconds_of(self, account: UUID, query: LexQuery) -> float:
        began = time.perf_counter()
        self.index.lexical(namespace_of(account), query, 100)
        return time.perf_counter() - began

    def query(self) -> LexQuery:
        return LexQuery(tuple((word, 1.0) for word in dict.fromkeys(self.words(4))))

    def postings_of(self, account: UUID, query: LexQuery) -> int:
        terms = [term for term, _ in query.terms]
        return sum(self.index.stats(namespace_of(account), terms).df.values())


def _size() -> int:
    with db.reading() as reader:
        return int(db.value(reader, SIZE))


def _write(waiting: list[tuple[UUID, list[retriever.Analysed]]]) -> None:
    with db.transaction() as tx:
        for account, analysed in waiting:
            retriever.write(tx, namespace_of(account), analysed, fresh=True)


def _merge() -> None:
    merged = True
    while merged:
        with db.transaction() as tx:
            merged = compaction.step(tx, least_fresh=compaction.WHOLLY)
    with db.reading() as reader:
        compaction_store.vacuum(reader)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--million", action="store_true", help="ten passages a document")
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    asked = parser.parse_args()
    accounts, rounds = (200, 20) if asked.quick else (asked.accounts, asked.rounds)
    length, documents = LONG if asked.million else 1, accounts * DOCUMENTS
    with machine() as started:
        few = Library(started, "few", max(2, accounts // 100), DOCUMENTS)
        many = Library(started, "many", accounts, DOCUMENTS)
        small = Library(started, "small", 1, documents // 100, length)
        large = Library(started, "large", 1, documents, length)
        libraries = (few, many, small, large)
        queries = [few.query() for _ in range(rounds)]
        times = [_round(number, query, libraries) for number, query in enumerate(queries)]
        read = [large.postings_of(large.accounts[0], query) for query in queries]
    among_few, among_many, in_small, in_large = (list(x) for x in zip(*times, strict=True))
    for library, seconds in ((small, in_small), (large, in_large)):
        middle, high = median(seconds) * 1e3, percentile(seconds, 0.9) * 1e3
        print(f"{library.passages:,} passages: {middle:.1f} ms, at the 90th percentile {high:.1f}")
    print(f"of {large.passages:,} passages a question reads {mean(read):,.0f} postings")
    conclude(
        "own_corpora",
        [
            compared(
                f"an account's ten documents among {accounts:,} accounts",
                among_many,
                f"among {len(few.accounts):,}",
                among_few,
                "s",
                "<=",
                GROWTH,
            ),
            Aim(
                f"ms in an account of {large.passages:,} passages",
                median(in_large) * 1e3,
                "<=",
                10.0,
            ),
        ],
        bytes_a_passage={library.name: library.bytes / library.passages for library in libraries},
        postings=mean(read),
    )


def _round(number: int, query: LexQuery, libraries: Sequence[Library]) -> list[float]:
    """The seconds of each, in turn about who goes first."""
    turned = libraries if number % 2 else libraries[::-1]
    seconds = {
        library.name: library.seconds_of(library.chance.choice(library.accounts), query)
        for library in turned
    }
    return [seconds[library.name] for library in libraries]


if __name__ == "__main__":
    main()
