"""A search in an account's own documents, among few accounts and among many.

    python -m bench.own_corpora [--accounts 10000] [--rounds 400]

Two databases hold ten documents of each account, a passage of 80 words each: one of a hundredth of
the accounts, and one of all. Each round asks both for the best of one account, in turn about who
goes first. Then the largest account alone: as many documents as all of the others have together,
beside what the operator indexed as much of. Prints how long indexing took and how large it is.
"""

import argparse
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from uuid import UUID

import psycopg

from app.core import db, ids
from app.core.db import Reader
from app.domains.library.passages import service as passages
from app.domains.library.passages.index import compaction, retriever
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import IndexedPassage, LexQuery
from app.engine.text.analysis import Analyzer
from bench.figures import Aim, conclude, paired
from bench.machine import Machine, machine

DOCUMENTS, WORDS, VOCABULARY = 10, 80, 20_000
PER_TRANSACTION = 1_000
GROWTH = 1.2


class Library:
    """A database with the documents of some accounts."""

    def __init__(self, started: Machine, name: str, accounts: int, documents: int) -> None:
        self.url, self.chance = started.database(name), random.Random(accounts)
        self.accounts = [ids.new() for _ in range(accounts)]
        began = time.perf_counter()
        db.open(self.url, size=2)
        self._index(documents)
        while _compact():
            pass
        with db.reading() as reader:
            self.bytes = int(db.value(reader, "select pg_database_size(current_database())"))
        db.close()
        self.connection = psycopg.connect(db.conninfo(self.url), autocommit=True)
        self.connection.execute("vacuum analyze")
        self.seconds = time.perf_counter() - began
        self.index = PostgresRetriever(self.reading, Analyzer())

    def _index(self, documents: int) -> None:
        id = 0
        waiting: list[tuple[UUID, list[retriever.Analysed]]] = []
        for account in self.accounts:
            for first in range(0, documents, PER_TRANSACTION):
                some = range(first, min(documents, first + PER_TRANSACTION))
                waiting.append((account, [self._passage(id + n) for n in some]))
                id += len(some)
            if sum(len(analysed) for _, analysed in waiting) >= PER_TRANSACTION:
                _write(waiting)
                waiting = []
        _write(waiting)

    def _passage(self, id: int) -> retriever.Analysed:
        passage = IndexedPassage(id=id + 1, source_id=str(id + 1), text="", language="en")
        return passage, self.words(WORDS)

    def words(self, most: int) -> list[str]:
        """Words as often as those of a language are (Zipf's law)."""
        return [f"w{int(VOCABULARY ** self.chance.random())}" for _ in range(most)]

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        yield self.connection  # type: ignore[misc]

    def seconds_of(self, account: UUID, query: LexQuery) -> float:
        began = time.perf_counter()
        self.index.lexical(passages.namespace_of(account), query, 100)
        return time.perf_counter() - began


def _write(waiting: list[tuple[UUID, list[retriever.Analysed]]]) -> None:
    with db.transaction() as tx:
        for account, analysed in waiting:
            retriever.write(tx, passages.namespace_of(account), analysed, fresh=True)


def _compact() -> bool:
    with db.transaction() as tx:
        return compaction.step(tx, least_fresh=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    asked = parser.parse_args()
    accounts, rounds = (200, 20) if asked.quick else (asked.accounts, asked.rounds)
    with machine() as started:
        few = Library(started, "few", max(2, accounts // 100), DOCUMENTS)
        many = Library(started, "many", accounts, DOCUMENTS)
        large = Library(started, "large", 1, accounts * DOCUMENTS)
        for name, library in (("few", few), ("many", many), ("large", large)):
            print(
                f"{name}: {len(library.accounts):,} accounts, indexed in {library.seconds:.0f} s,"
                f" {library.bytes / 1e6:.0f} MB"
            )
        times = [_round(number, few, many, large) for number in range(rounds)]
    among_few, among_many, in_large = (list(each) for each in zip(*times, strict=True))
    of_large = median(in_large) * 1e3
    conclude(
        "own_corpora",
        [
            Aim(
                f"an account's ten documents among {accounts:,} accounts",
                paired(among_many, among_few),
                "<=",
                GROWTH,
                f"among {len(few.accounts):,}",
                median(among_many) * 1e3,
                median(among_few) * 1e3,
                "ms",
            ),
            Aim(f"ms in an account of {accounts * DOCUMENTS:,} documents", of_large, "<=", 10.0),
        ],
    )


def _round(number: int, few: Library, many: Library, large: Library) -> tuple[float, float, float]:
    query = LexQuery(tuple((word, 1.0) for word in dict.fromkeys(few.words(4))))
    order = [few, many, large] if number % 2 else [large, many, few]
    seconds = {
        id(library): library.seconds_of(few.chance.choice(library.accounts), query)
        for library in order
    }
    return seconds[id(few)], seconds[id(many)], seconds[id(large)]


if __name__ == "__main__":
    main()
