"""An index written before generations existed goes on serving."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.core import db
from app.core.db.migrate import FOLDER, migrate
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import IndexedPassage, LexQuery
from app.engine.search.memory import MemoryRetriever
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
WORDS = ["alpha", "beta", "gamma", "delta", "kappa"]
PASSAGES = [
    IndexedPassage(id, f"s{id}", " ".join(WORDS[: 1 + id % 5] * (1 + id % 3)), language="en")
    for id in range(1, 500)
]
DEAD = 7


@pytest.fixture
def upgraded(empty_database: str, tmp_path: Path) -> Iterator[None]:
    for file in sorted(FOLDER.glob("*.sql"))[:5]:
        shutil.copy(file, tmp_path)
    migrate(empty_database, tmp_path)
    with psycopg.connect(empty_database) as connection:
        write_as_before(connection)
    migrate(empty_database)
    db.open(empty_database)
    yield
    db.close()


def write_as_before(connection: psycopg.Connection) -> None:
    counts = {p.id: Counter(ANALYZER.terms(p.indexed_text, p.language)) for p in PASSAGES}
    lexemes = sorted({lexeme for own in counts.values() for lexeme in own})
    connection.execute("insert into lexical_stats (ns, passages, terms) values ('ns', 0, 0)")
    for number, lexeme in enumerate(lexemes, 1):
        connection.execute(
            "insert into lexical_terms (id, ns, lexeme, df) overriding system value"
            " values (%s, 'ns', %s, 0)",
            [number, lexeme],
        )
        holding = [id for id, own in counts.items() if lexeme in own]
        for part in (holding[::2], holding[1::2]):
            packed = [counts[id][lexeme] << 16 | counts[id].total() for id in part]
            connection.execute(
                "insert into lexical_blocks values (%s, nextval('lexical_block_numbers'), %s, %s,"
                " %s)",
                [number, len(part), part, packed],
            )
    for passage in PASSAGES:
        connection.execute(
            "insert into lexical_passages"
            " (passage_id, ns, source_id, language, length, terms, dead)"
            " values (%s, 'ns', %s, 'en', %s, '{}', %s)",
            [passage.id, passage.source_id, counts[passage.id].total(), passage.id == DEAD],
        )


@pytest.mark.usefixtures("upgraded")
def test_an_index_written_before_the_upgrade_answers_as_the_oracle() -> None:
    index = PostgresRetriever(db.reading, ANALYZER, begin=db.transaction)
    oracle = MemoryRetriever(ANALYZER)
    oracle.upsert("ns", PASSAGES)
    oracle.delete("ns", [f"s{DEAD}"])
    asked = LexQuery((("gamma", 1.0), ("kappa", 2.0)))
    assert index.lexical("ns", asked, 300) == oracle.lexical("ns", asked, 300)


@pytest.mark.usefixtures("upgraded")
def test_an_index_written_before_the_upgrade_can_be_changed() -> None:
    index = PostgresRetriever(db.reading, ANALYZER, begin=db.transaction)
    oracle = MemoryRetriever(ANALYZER)
    oracle.upsert("ns", PASSAGES)
    for retriever in (index, oracle):
        retriever.upsert("ns", [IndexedPassage(4, "s4", "kappa", language="en")])
        retriever.delete("ns", [f"s{DEAD}", "s9"])
    asked = LexQuery((("gamma", 1.0), ("kappa", 2.0)))
    assert index.lexical("ns", asked, 300) == oracle.lexical("ns", asked, 300)
