"""nDCG@10 of candidates from Postgres and from the oracle, and with the sentence bonus.

    python -m bench.retrieval_quality [--quick] [--floors]

With --floors it fails where Postgres and the bonus come out below what they have reached.
"""

import argparse
import sys
from statistics import mean

from app.core import db
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import IndexedPassage, Retriever
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, rescore
from bench import recombined
from bench.figures import ndcg
from bench.memory_retriever import MemoryRetriever
from tests import servers

FLOORS = {"cranfield": (0.387, 0.39), "vaswani": (0.436, 0.449)}  # Postgres, + bonus
CANDIDATES = 100


def evaluate(name: str, retriever: Retriever) -> tuple[float, float, int]:
    """nDCG@10 of BM25 alone and with the bonus, and the number of judged queries."""
    passages = [
        IndexedPassage(i, doc["id"], doc["text"], title=doc.get("title") or "", language="en")
        for i, doc in enumerate(recombined.lines(name, "docs.jsonl"))
    ]
    retriever.upsert(name, passages)
    grades = recombined.grades(name)
    plain, bonus = [], []
    for item in recombined.lines(name, "queries.jsonl"):
        if item["id"] not in grades:
            continue
        query = parse(item["text"], language="en")
        hits = retriever.lexical(name, query.lexical(), CANDIDATES)
        candidates = [PassageCandidate(passages[hit.passage_id], hit.score) for hit in hits]
        ranked = rescore(query, candidates, retriever.stats(name, query.terms))
        plain.append(ndcg([x.passage.source_id for x in candidates], grades[item["id"]]))
        bonus.append(ndcg([x.passage.source_id for x in ranked], grades[item["id"]]))
    return mean(plain), mean(bonus), len(plain)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the smaller collection")
    parser.add_argument("--floors", action="store_true", help="exit 1 below the floors")
    chosen = parser.parse_args()
    low = []
    print(f"{'collection':<12}{'queries':>8}{'Postgres':>10}{'oracle':>8}{'+ bonus':>9}")
    with servers.postgres() as server, servers.database(server) as url:
        db.open(url)
        for name in ("cranfield",) if chosen.quick else ("cranfield", "vaswani"):
            if not (recombined.DATA / f"{name}.tar.xz").exists():
                print(f"{name:<12} skipped: {recombined.DATA / name}.tar.xz is absent")
                continue
            plain, _, _ = evaluate(name, MemoryRetriever())
            index = PostgresRetriever(db.reading, begin=db.transaction)
            indexed, bonus, n = evaluate(name, index)
            print(f"{name:<12}{n:>8}{indexed:>10.4f}{plain:>8.4f}{bonus:>9.4f}")
            low += [name for x in zip((indexed, bonus), FLOORS[name], strict=True) if x[0] < x[1]]
        db.close()
    if chosen.floors and low:
        print(f"below the floor: {', '.join(low)}")
    return 1 if chosen.floors and low else 0


if __name__ == "__main__":
    sys.exit(main())
