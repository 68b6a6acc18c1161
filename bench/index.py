"""The Postgres index beside tantivy and Postgres full text: quality, latency, size, ingest.

    python -m bench.index [passages ...]          default 20000 200000

The collection is bench/recombined.py's: Cranfield, Vaswani and xquad, then their sentences mixed
anew. Cranfield's judged queries give nDCG@10 and recall@100; the distractors hold sentences of
Cranfield, so all systems find less than on Cranfield alone. The systems answer each query in turn,
so ratios hold on a busy machine. Full text takes seconds for a query of a large collection: there
all are compared by fewer queries. Ours is then asked all real questions of the three collections,
alone and while another process adds pages as fast as it can. Writes bench/out/index.json.
"""

import argparse
import itertools
import multiprocessing
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import mean
from typing import Any

import tantivy

from app.core import db
from app.domains.library.passages import service
from app.domains.library.passages.index import compaction_store, retriever
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import Filter, IndexedPassage
from app.engine.search.query import parse
from bench import recombined
from bench.figures import Aim, conclude, ndcg, percentile, table
from tests import servers

NS = "bench"
BATCH = 140  # passages of about 20 pages
MERGE_EVERY = 32  # batches, as a refresh does
K = 100
HEAP = 100_000_000  # of tantivy's writer
LARGE, SLOW = 20_000, 60
FEW = 200
FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)
FILTERS = {
    "one host in 1000 excluded": Filter(exclude_domains=("h7.example.org",)),
    "younger half": Filter(published_after=FIRST_DAY + timedelta(days=500)),
    "youngest hundredth": Filter(published_after=FIRST_DAY + timedelta(days=990)),
    "one host in 1000": Filter(include_domains=("h7.example.org",)),
}
TABLES = ("lexical_blocks", "lexical_fresh", "lexical_passages")

Search = Callable[[str], list[int]]


def run(n: int) -> dict[str, Any]:
    passages = list(recombined.passages(n))
    with servers.postgres() as server, servers.database(server) as url:
        db.open(url, statement_timeout_seconds=600)
        done: dict[str, Any] = {"passages": n, "ingest_per_s": round(n / add(passages))}
        done["mb"] = {name: size(name) for name in TABLES}
        began = time.perf_counter()
        compact()
        done["compact_s"] = round(time.perf_counter() - began, 1)
        ours = postgres()
        asked = recombined.questions()
        done["alone_ms"] = latency({"ours": ours}, asked)["ours"]
        filtered = {name: postgres(where) for name, where in FILTERS.items()}
        done["filtered_ms"] = latency({"no filter": ours, **filtered}, asked[:FEW])
        systems = {
            "ours": ours,
            "tantivy": tantivy_index(passages),
            "full_text": full_text(url, passages),
        }
        judged = recombined.lines("cranfield", "queries.jsonl")
        done["systems"] = compare(systems, judged if n <= LARGE else judged[:SLOW], passages)
        done["while_adding_ms"], done["added_meanwhile"] = while_adding(url, n, ours, asked)
        done["mb_after_adding"] = size("lexical_blocks") + size("lexical_fresh")
        compact()
        with db.connect(url, role=None) as owner:
            owner.execute("set statement_timeout = 0")
            owner.execute("vacuum full lexical_blocks, lexical_fresh")
        done["mb_merged"] = size("lexical_blocks") + size("lexical_fresh")
        db.close()
    return done


def add(passages: list[IndexedPassage], stop: Event | None = None) -> float:
    """Index in batches, merging now and then; the seconds it took."""
    began = time.perf_counter()
    for number, first in enumerate(range(0, len(passages), BATCH), 1):
        analysed = retriever.analyse(passages[first : first + BATCH])
        with db.transaction() as tx:
            retriever.write(tx, NS, analysed, fresh=True)
        if number % MERGE_EVERY == 0:
            compact(lightly=True)
        if stop is not None and stop.is_set():
            break
    return time.perf_counter() - began


def compact(*, lightly: bool = False) -> None:
    done: int | None = 0
    while done is not None:
        with db.transaction() as tx:
            done = service.compact(tx, done, lightly=lightly)
    with db.reading() as reader:
        compaction_store.vacuum(reader)


def size(name: str) -> float:
    with db.reading() as reader:
        octets = db.value(reader, "select pg_total_relation_size(%(name)s::regclass)", name=name)
    return round(int(octets) / 1e6, 1)


def postgres(where: Filter | None = None) -> Search:
    index = PostgresRetriever(db.reading)

    def search(text: str) -> list[int]:
        query = parse(text, language="en").lexical()
        return [hit.passage_id for hit in index.lexical(NS, query, K, where)]

    return search


def tantivy_index(passages: list[IndexedPassage]) -> Search:
    index = new_tantivy()
    add_to_tantivy(index.writer(HEAP, 1), passages)
    return tantivy_search(index)


def new_tantivy(folder: Path | None = None) -> tantivy.Index:
    """An index that is not there yet, in memory without a folder."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", stored=True)
    builder.add_text_field("text", tokenizer_name="en_stem")
    return tantivy.Index(builder.build(), path=str(folder) if folder else None)


def add_to_tantivy(writer: tantivy.IndexWriter, passages: Iterable[IndexedPassage]) -> None:
    for passage in passages:
        writer.add_document(tantivy.Document(id=passage.id, text=passage.indexed_text))
    writer.commit()


def tantivy_search(index: tantivy.Index) -> Search:
    index.reload()
    searcher = index.searcher()

    def search(text: str) -> list[int]:
        words = "".join(x if x.isalnum() else " " for x in text)
        hits = searcher.search(index.parse_query(words, ["text"]), K).hits
        return [searcher.doc(address)["id"][0] for _, address in hits]

    return search


FULL_TEXT = """
    with asked as materialized (
        select replace(plainto_tsquery('english', %(q)s)::text, '&', '|')::tsquery as query)
    select id from bench_fts, asked where words @@ query
    order by ts_rank(words, query, 1) desc, id limit %(k)s
    """


def full_text(url: str, passages: list[IndexedPassage]) -> Search:
    with db.connect(url, role=None) as owner:
        owner.execute("set statement_timeout = 0")
        owner.execute("create table bench_fts (id int primary key, words tsvector)")
        owner.execute("create temporary table given (id int, words text)")
        with owner.cursor().copy("copy given from stdin") as copy:
            for passage in passages:
                copy.write_row((passage.id, passage.indexed_text))
        owner.execute("insert into bench_fts select id, to_tsvector('english', words) from given")
        owner.execute("create index on bench_fts using gin (words)")
        owner.execute("vacuum analyze bench_fts")

    def search(text: str) -> list[int]:
        with db.reading() as reader:
            return list(db.values(reader, FULL_TEXT, q=text, k=K))

    return search


def latency(systems: dict[str, Search], queries: list[str]) -> dict[str, dict[str, float]]:
    """p50 and p99 in milliseconds, each query asked of every system in turn.

    `cpu_` is of this process alone: what others do on a busy machine does not raise it.
    """
    took: defaultdict[str, list[float]] = defaultdict(list)
    used: defaultdict[str, list[float]] = defaultdict(list)
    for text in queries:
        for name, search in systems.items():
            began, working = time.perf_counter(), time.process_time()
            search(text)
            used[name].append((time.process_time() - working) * 1000)
            took[name].append((time.perf_counter() - began) * 1000)
    return {
        name: {
            f"{kind}p{share}": round(percentile(spent[name], share / 100), 2)
            for kind, spent in (("", took), ("cpu_", used))
            for share in (50, 99)
        }
        for name in systems
    }


def compare(
    systems: dict[str, Search], queries: list[dict[str, str]], passages: list[IndexedPassage]
) -> dict[str, dict[str, float]]:
    """Quality by Cranfield's judgements, and latency, of each system."""
    grades = recombined.grades("cranfield")
    queries = [query for query in queries if query["id"] in grades]
    compared = latency(systems, [query["text"] for query in queries])
    for name, search in systems.items():
        ranked = [
            ([passages[i - 1].source_id for i in search(query["text"])], grades[query["id"]])
            for query in queries
        ]
        compared[name]["ndcg@10"] = round(mean(ndcg(*x) for x in ranked), 4)
        compared[name]["recall@100"] = round(
            mean(len(wanted.keys() & set(found)) / len(wanted) for found, wanted in ranked), 4
        )
    return compared


def while_adding(
    url: str, n: int, search: Search, queries: list[str]
) -> tuple[dict[str, float], int]:
    """Latency while another process adds, and how many passages it added."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    writer = context.Process(target=keep_adding, args=(url, n, stop))
    before = held()
    writer.start()
    servers.until(lambda: held() > before)
    took = latency({"ours": search}, queries)["ours"]
    stop.set()
    writer.join()
    return took, held() - before


def held() -> int:
    with db.reading() as reader:
        return int(db.value(reader, "select sum(passages)::int from lexical_counts"))


def keep_adding(url: str, n: int, stop: Event) -> None:
    """Recombined passages again and again, under new ids."""
    db.open(url)
    made = list(recombined.passages(min(n, LARGE)))
    ids = itertools.count(n + 1)
    while not stop.is_set():
        random.shuffle(made)
        moved = [IndexedPassage(next(ids), f"again {x.source_id}", x.text) for x in made]
        add(moved, stop)
    db.close()


def report(done: dict[str, Any]) -> None:
    print(f"\n{done['passages']} passages, {done['ingest_per_s']} a second added, MB {done['mb']}")
    ours = done["systems"]["ours"]
    rows = [
        [name, x["ndcg@10"], x["recall@100"], x["p50"], x["p99"], x["p50"] / ours["p50"]]
        for name, x in done["systems"].items()
    ]
    table(["Cranfield's queries", "nDCG@10", "recall@100", "p50 ms", "p99 ms", "p50 / ours"], rows)
    latencies = [[name, *done[f"{name}_ms"].values()] for name in ("alone", "while_adding")]
    table(["all questions, ours", "p50 ms", "p99 ms", "CPU p50", "CPU p99"], latencies)
    filtered = [[name, *figures.values()] for name, figures in done["filtered_ms"].items()]
    table([f"{FEW} questions, ours", "p50 ms", "p99 ms", "CPU p50", "CPU p99"], filtered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", help="passages; 20000 and 200000 if not said")
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    asked = parser.parse_args()
    for name in recombined.NEEDED:
        if not (recombined.DATA / f"{name}.tar.xz").exists():
            print(f"skipped: {recombined.DATA / name}.tar.xz is absent")
            return
    results = []
    for n in asked.sizes or ([3_000] if asked.quick else [20_000, 200_000]):
        results.append(run(n))
        report(results[-1])
    last = results[-1]
    ours, tantivys = last["systems"]["ours"], last["systems"]["tantivy"]
    alone, adding = last["alone_ms"], last["while_adding_ms"]
    conclude(
        "index",
        [
            Aim("p50 ms of a query", alone["p50"], "<=", 5),
            Aim("p99 ms of a query", alone["p99"], "<=", 30),
            Aim("p50 ms while pages are added", adding["p50"], "<=", 5),
            Aim("p99 ms while pages are added", adding["p99"], "<=", 30),
            *(
                Aim(
                    what,
                    ours[key] / tantivys[key],
                    bound,
                    aim,
                    "tantivy",
                    ours[key],
                    tantivys[key],
                    unit,
                )
                for what, key, bound, aim, unit in (
                    ("nDCG@10", "ndcg@10", ">=", 1.0, ""),
                    ("p50 of Cranfield's queries", "p50", "<=", 2.0, "ms"),
                )
            ),
            Aim(
                "size after adding",
                last["mb_after_adding"] / last["mb_merged"],
                "<=",
                2,
                "merged",
                last["mb_after_adding"],
                last["mb_merged"],
                "MB",
            ),
        ],
        results=results,
    )


if __name__ == "__main__":
    main()
