"""nDCG@10 of candidates from Postgres and from the oracle, and with the sentence bonus."""

import argparse
import io
import json
import math
import tarfile
from collections import defaultdict
from pathlib import Path

from app.core import db
from app.domains.passages.service import PostgresRetriever
from app.engine.retrieval.interface import IndexedPassage, Retriever
from app.engine.retrieval.memory import MemoryRetriever
from app.engine.retrieval.query import parse
from app.engine.retrieval.rank import Candidate, rescore
from app.engine.text.analysis import Analyzer
from tests import servers

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def evaluate(name: str, retriever: Retriever, analyzer: Analyzer) -> tuple[float, float, int]:
    """nDCG@10 of BM25 alone and with the bonus, and the number of judged queries."""
    with tarfile.open(DATA / f"{name}.tar.xz") as archive:
        docs = _lines(archive, f"{name}/docs.jsonl")
        queries = _lines(archive, f"{name}/queries.jsonl")
        qrels = _read(archive, f"{name}/qrels.tsv").splitlines()
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in qrels:
        query_id, doc_id, grade = line.split("\t")
        if int(grade) > 0:
            grades[query_id][doc_id] = int(grade)
    passages = [
        IndexedPassage(i, doc["id"], doc["text"], title=doc.get("title") or "", language="en")
        for i, doc in enumerate(docs)
    ]
    retriever.upsert(name, passages)
    plain = bonus = 0.0
    judged = [x for x in queries if grades[x["id"]]]
    for item in judged:
        query = parse(item["text"], analyzer, language="en")
        hits = retriever.lexical(name, query.lexical(), 100)
        candidates = [Candidate(passages[hit.passage_id], hit.score) for hit in hits]
        ranked = rescore(query, candidates, retriever.stats(name, query.terms), analyzer)
        plain += _ndcg([x.passage.source_id for x in candidates], grades[item["id"]])
        bonus += _ndcg([x.passage.source_id for x in ranked], grades[item["id"]])
    return plain / len(judged), bonus / len(judged), len(judged)


def _read(archive: tarfile.TarFile, name: str) -> str:
    member = archive.extractfile(name)
    if member is None:
        raise FileNotFoundError(name)
    return io.TextIOWrapper(member, "utf-8").read()


def _lines(archive: tarfile.TarFile, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in _read(archive, name).splitlines()]


def _ndcg(ranking: list[str], grades: dict[str, int]) -> float:
    """nDCG@10 with linear gains, as trec_eval computes it."""
    gained = sum(grades.get(x, 0) / math.log2(i + 2) for i, x in enumerate(ranking[:10]))
    ideal = sorted(grades.values(), reverse=True)[:10]
    return gained / sum(grade / math.log2(i + 2) for i, grade in enumerate(ideal))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the smaller collection")
    names = ("cranfield",) if parser.parse_args().quick else ("cranfield", "vaswani")
    analyzer = Analyzer()
    print(f"{'collection':<12}{'queries':>8}{'Postgres':>10}{'oracle':>8}{'+ bonus':>9}")
    with servers.postgres() as server, servers.database(server) as url:
        db.open(url)
        for name in names:
            if not (DATA / f"{name}.tar.xz").exists():
                print(f"{name:<12} skipped: {DATA / name}.tar.xz is absent")
                continue
            plain, bonus, n = evaluate(name, MemoryRetriever(analyzer), analyzer)
            index = PostgresRetriever(db.transaction, analyzer)
            indexed, _, _ = evaluate(name, index, analyzer)
            print(f"{name:<12}{n:>8}{indexed:>10.4f}{plain:>8.4f}{bonus:>9.4f}")
        db.close()


if __name__ == "__main__":
    main()
