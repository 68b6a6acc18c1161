"""Retrieval quality of the in-memory oracle with and without the sentence bonus: nDCG@10."""

import argparse
import io
import json
import math
import tarfile
from collections import defaultdict
from pathlib import Path

from app.engine.retrieval.interface import IndexedPassage
from app.engine.retrieval.memory import MemoryRetriever
from app.engine.retrieval.query import parse
from app.engine.retrieval.rank import Candidate, rescore
from app.engine.text.analysis import Analyzer

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def evaluate(name: str) -> tuple[float, float, int]:
    """nDCG@10 of BM25 alone and with the bonus, and the number of judged queries."""
    analyzer = Analyzer()
    retriever = MemoryRetriever(analyzer)
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
    retriever.upsert("", passages)
    plain = bonus = 0.0
    judged = [x for x in queries if grades[x["id"]]]
    for item in judged:
        query = parse(item["text"], analyzer, language="en")
        hits = retriever.lexical("", query.lexical(), 100)
        candidates = [Candidate(passages[hit.passage_id], hit.score) for hit in hits]
        ranked = rescore(query, candidates, retriever.stats("", query.terms), analyzer)
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
    print(f"{'collection':<12}{'queries':>8}{'BM25':>8}{'+ bonus':>9}")
    for name in names:
        if not (DATA / f"{name}.tar.xz").exists():
            print(f"{name:<12} skipped: {DATA / name}.tar.xz is absent")
            continue
        plain, bonus, n = evaluate(name)
        print(f"{name:<12}{n:>8}{plain:>8.4f}{bonus:>9.4f}")


if __name__ == "__main__":
    main()
