"""The Postgres index beside tantivy and Postgres full text: quality, latency, ingest, size.

    python -m bench.index [passages ...]          default 12000 120000

Cranfield's documents and queries give nDCG@10. Vaswani's abstracts are natural distractors; beyond
them, recombined sentences of both with some rare words fill the collection up to each size. The
three systems answer each query in turn, so ratios hold on a busy machine. Full text takes seconds
for a query on a large collection: all are judged by fewer queries there. Prints a table and
writes bench/out/index.json.
"""

import argparse
import io
import json
import math
import random
import statistics
import tarfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tantivy

from app.core import db
from app.domains.passages import service
from app.engine.retrieval.interface import IndexedPassage
from app.engine.retrieval.query import parse
from app.engine.text.analysis import Analyzer
from tests import servers

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
OUT = Path(__file__).parent / "out" / "index.json"
NS = "bench"
BATCH = 140  # passages of about 20 pages
K = 100
LARGE, SLOW = 20_000, 60

Search = Callable[[str], list[int]]


def read(collection: str, name: str) -> list[str]:
    with tarfile.open(DATA / f"{collection}.tar.xz") as archive:
        member = archive.extractfile(f"{collection}/{name}")
        if member is None:
            raise FileNotFoundError(name)
        return io.TextIOWrapper(member, "utf-8").read().splitlines()


def judged() -> tuple[list[dict[str, str]], dict[str, dict[str, int]]]:
    """Cranfield's queries that have a judgement, and the grades by query and document."""
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in read("cranfield", "qrels.tsv"):
        query_id, doc_id, grade = line.split("\t")
        if int(grade) > 0:
            grades[query_id][doc_id] = int(grade)
    queries = [json.loads(line) for line in read("cranfield", "queries.jsonl")]
    return [query for query in queries if grades[query["id"]]], grades


def collection(n: int) -> Iterator[IndexedPassage]:
    """Cranfield, then Vaswani, then distractors, `n` in all."""
    docs = [json.loads(line) for line in read("cranfield", "docs.jsonl")]
    natural = [json.loads(line) for line in read("vaswani", "docs.jsonl")][: n - len(docs)]
    for i, doc in enumerate(docs):
        yield IndexedPassage(i, doc["id"], doc["text"], title=doc["title"] or "", language="en")
    for i, doc in enumerate(natural, len(docs)):
        yield IndexedPassage(i, f"v{doc['id']}", doc["text"], language="en")
    chance = random.Random(7)
    texts = [doc["text"] for doc in (*docs, *natural)]
    sentences = [x for text in texts for x in text.split(". ") if x]
    rare = [
        f"{a}{b}{c}{d}"
        for a in "bdfglmnprst"
        for b in "aeiou"
        for c in "bdklmnrst"
        for d in ("on", "ar", "is", "em", "ul", "ob", "ink", "est", "and", "oph")
    ]
    for i in range(len(texts), n):
        own = [*chance.choices(sentences, k=3), " ".join(chance.choices(rare, k=25))]
        yield IndexedPassage(i, f"d{i // 7}", ". ".join(own), language="en")


def ndcg(ranking: list[str], grades: dict[str, int]) -> float:
    gained = sum(grades.get(x, 0) / math.log2(i + 2) for i, x in enumerate(ranking[:10]))
    ideal = sorted(grades.values(), reverse=True)[:10]
    return gained / sum(grade / math.log2(i + 2) for i, grade in enumerate(ideal))


def ours(passages: list[IndexedPassage], analyzer: Analyzer, done: dict[str, Any]) -> Search:
    writer = service.PostgresRetriever(db.transaction, analyzer)
    began = time.perf_counter()
    for number, first in enumerate(range(0, len(passages), BATCH), 1):
        writer.upsert(NS, passages[first : first + BATCH])
        if number % 32 == 0:  # as a refresh does
            merge(lightly=True)
    done["ingest_per_s"] = round(len(passages) / (time.perf_counter() - began))
    retriever = service.PostgresRetriever(db.reading, analyzer)

    def search(text: str) -> list[int]:
        query = parse(text, analyzer, language="en").lexical()
        return [hit.passage_id for hit in retriever.lexical(NS, query, K)]

    return search


def merge(lightly: bool) -> float:
    """Compact to the end; seconds of the longest step."""
    after: int | None = 0
    longest = 0.0
    while after is not None:
        step = time.perf_counter()
        with db.transaction() as tx:
            after = service.compact(tx, after, lightly=lightly)
        longest = max(longest, time.perf_counter() - step)
    return longest


def compact(done: dict[str, Any]) -> None:
    began = time.perf_counter()
    done["compact_longest_step_s"] = round(merge(lightly=False), 2)
    done["compact_s"] = round(time.perf_counter() - began, 1)


def tantivy_index(passages: list[IndexedPassage]) -> Search:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", stored=True)
    builder.add_text_field("text", tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer(100_000_000, 1)
    for passage in passages:
        writer.add_document(tantivy.Document(id=passage.id, text=passage.indexed_text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(text: str) -> list[int]:
        words = "".join(x if x.isalnum() else " " for x in text)
        hits = searcher.search(index.parse_query(words, ["text"]), K).hits
        return [searcher.doc(address)["id"][0] for _, address in hits]

    return search


def full_text(passages: list[IndexedPassage]) -> Search:
    with db.transaction() as tx:
        tx.execute("set local statement_timeout = 0")
        tx.execute("drop table if exists bench_fts")
        tx.execute("create table bench_fts (id int primary key, words tsvector)")
        with tx.cursor().copy("copy bench_fts (id) from stdin") as copy:
            for passage in passages:
                copy.write_row((passage.id,))
        for first in range(0, len(passages), 5000):
            part = passages[first : first + 5000]
            tx.execute(
                "update bench_fts set words = to_tsvector('english', body) "
                "from unnest(%s::int[], %s::text[]) as given (given_id, body) where id = given_id",
                [[x.id for x in part], [x.indexed_text for x in part]],
            )
        tx.execute("create index on bench_fts using gin (words)")
    with db.reading() as tx:
        tx.execute("vacuum analyze bench_fts")

    def search(text: str) -> list[int]:
        with db.reading() as tx:
            return list(
                db.values(
                    tx,
                    "with asked as materialized (select "
                    "replace(plainto_tsquery('english', %(q)s)::text, '&', '|')::tsquery as query) "
                    "select id from bench_fts, asked where words @@ query "
                    "order by ts_rank(words, query, 1) desc, id limit %(k)s",
                    q=text,
                    k=K,
                )
            )

    return search


def measure(systems: dict[str, Search], queries: list[str]) -> dict[str, dict[str, float]]:
    """p50 and p99 in milliseconds, each query asked of every system in turn."""
    took: defaultdict[str, list[float]] = defaultdict(list)
    for text in queries:
        for name, search in systems.items():
            began = time.perf_counter()
            search(text)
            took[name].append((time.perf_counter() - began) * 1000)
    return {
        name: {
            "p50_ms": round(statistics.median(x), 2),
            "p99_ms": round(statistics.quantiles(x, n=100)[98], 2),
        }
        for name, x in took.items()
    }


def run(n: int, baselines: bool) -> dict[str, Any]:
    queries, grades = judged()
    passages = list(collection(n))
    analyzer = Analyzer()
    done: dict[str, Any] = {"passages": n}
    with servers.postgres() as server, servers.database(server) as url:
        db.open(url, statement_timeout_seconds=120)
        search = ours(passages, analyzer, done)
        chance = random.Random(3)
        short = [
            " ".join(chance.sample(x["text"].split(), min(6, len(x["text"].split()))))
            for x in queries
        ]
        done["fragmented"] = measure({"ours": search}, short)["ours"]
        compact(done)
        done["compacted"] = measure({"ours": search}, short)["ours"]
        with db.reading() as tx:
            tx.execute("vacuum analyze")
            done["size_mb"] = {
                table: round(
                    db.value(tx, "select pg_total_relation_size(%(t)s::regclass)", t=table) / 1e6, 1
                )
                for table in ("lexical_blocks", "lexical_terms", "lexical_passages")
            }
        systems = {"ours": search}
        if baselines:
            systems |= {"tantivy": tantivy_index(passages), "full_text": full_text(passages)}
        asked = queries if n <= LARGE else queries[:SLOW]
        for name, one in systems.items():
            done.setdefault("ndcg", {})[name] = round(
                statistics.mean(
                    ndcg([passages[i].source_id for i in one(x["text"])], grades[x["id"]])
                    for x in asked
                ),
                4,
            )
        done["short"] = measure(systems, short[: len(asked)])
        done["whole"] = measure(systems, [x["text"] for x in asked])
        db.close()
    return done


def report(done: dict[str, Any]) -> None:
    print(
        f"\n{done['passages']} passages: ingest {done['ingest_per_s']}/s, compaction "
        f"{done['compact_s']} s (longest step {done['compact_longest_step_s']} s), "
        f"MB {done['size_mb']}, before compaction {done['fragmented']}, "
        f"after {done['compacted']}"
    )
    print(
        f"{'system':<12}{'nDCG@10':>9}{'6 words p50':>13}{'p99':>9}{'whole p50':>11}{'p99':>9}"
        f"{'p50 / ours':>12}"
    )
    for name in done["short"]:
        short, whole = done["short"][name], done["whole"][name]
        ratio = short["p50_ms"] / done["short"]["ours"]["p50_ms"]
        print(
            f"{name:<12}{done['ndcg'][name]:>9.4f}{short['p50_ms']:>13}{short['p99_ms']:>9}"
            f"{whole['p50_ms']:>11}{whole['p99_ms']:>9}{ratio:>12.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", help="passages; 12000 and 120000 if not said")
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    asked = parser.parse_args()
    for name in ("cranfield", "vaswani"):
        if not (DATA / f"{name}.tar.xz").exists():
            print(f"skipped: {DATA / name}.tar.xz is absent")
            return
    sizes = asked.sizes or ([3_000] if asked.quick else [12_000, 120_000])
    results = []
    for n in sizes:
        results.append(run(n, baselines=True))
        report(results[-1])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
