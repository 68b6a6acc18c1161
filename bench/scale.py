"""A million passages in Postgres beside tantivy: latency, size, and what adding more takes.

    python -m bench.scale [passages] [--folder FOLDER]          default 1000000

The collection is bench/recombined.py's, and each question is asked of both indexes in turn, so the
ratios hold on a busy machine. A folder keeps both: another run only measures what is there. Writes
bench/out/scale.json.
"""

import argparse
import json
import multiprocessing
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import tantivy

from app.core import db
from app.core.db.migrate import migrate
from app.domains.library.passages.index import retriever
from app.engine.search.interface import IndexedPassage
from app.engine.text import analysis
from app.local.embedded.postgres import Postgres
from bench import recombined
from bench.figures import Aim, conclude, table
from bench.index import (
    HEAP,
    NS,
    TABLES,
    add,
    add_to_tantivy,
    compact,
    latency,
    new_tantivy,
    postgres,
    size,
    tantivy_search,
)
from tests.servers import folder as temporary_folder

MORE = 10_000
BATCH = 1_000  # what a rebuild reads at once
WRITERS, AHEAD = 2, 6
PROGRESS = 50_000  # passages
WARMING = 50  # questions


def run(folder: Path, n: int) -> dict[str, Any]:
    with Postgres(folder / "pg", log=folder / "pg.log", durable=False) as server:
        migrate(server.url())
        db.open(server.url(), statement_timeout_seconds=600)
        facts = folder / "built.json"  # written when both are whole
        if not facts.exists():
            facts.write_text(json.dumps(build(folder, server.url(), n)))
        done: dict[str, Any] = {**json.loads(facts.read_text()), **measure(folder)}
        db.close()
    return done


def build(folder: Path, url: str, n: int) -> dict[str, Any]:
    """Both indexes without the last `MORE` passages, merged once at the end, as a rebuild may."""
    began = time.perf_counter()
    (folder / "tantivy").mkdir()
    writer = new_tantivy(folder / "tantivy").writer(HEAP, 1)
    passages = recombined.passages(n + MORE)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WRITERS, context, db.open, (url,)) as pool:
        waiting: deque[Future[None]] = deque()
        for batch in batches(islice(passages, n)):
            waiting.append(pool.submit(add_batch, batch))
            for passage in batch:
                writer.add_document(tantivy.Document(id=passage.id, text=passage.indexed_text))
            if batch[-1].id % PROGRESS == 0:
                print(f"{batch[-1].id:,} after {time.perf_counter() - began:.0f} s", flush=True)
            if len(waiting) > AHEAD:
                waiting.popleft().result()
        for future in waiting:
            future.result()
    writer.commit()
    writer.wait_merging_threads()
    more = [[passage.id, passage.source_id, passage.text] for passage in passages]
    (folder / "more.json").write_text(json.dumps(more))
    print("merging", flush=True)
    compact()
    return {"passages": n, "built_s": round(time.perf_counter() - began)}


def batches(passages: Iterator[IndexedPassage]) -> Iterator[list[IndexedPassage]]:
    while batch := list(islice(passages, BATCH)):
        yield batch


def add_batch(passages: list[IndexedPassage]) -> None:
    analysed = [(passage, list(terms(passage))) for passage in passages]
    with db.transaction() as tx:
        retriever.write(tx, NS, analysed, fresh=True)


def terms(passage: IndexedPassage) -> Iterator[str]:
    """Those of the analysis, word by word: the words of the collection come again and again."""
    for word in passage.indexed_text.split():
        yield from _terms(word)


@cache
def _terms(word: str) -> tuple[str, ...]:
    return tuple(analysis.terms(word, "en"))


def measure(folder: Path) -> dict[str, Any]:
    index = tantivy.Index.open(str(folder / "tantivy"))
    systems = {"ours": postgres(), "tantivy": tantivy_search(index)}
    questions = recombined.questions()
    latency(systems, questions[:WARMING])
    done: dict[str, Any] = {"questions": len(questions), "ms": latency(systems, questions)}
    done["mb"] = {name: size(name) for name in TABLES} | {"tantivy": occupied(folder / "tantivy")}
    more: list[tuple[int, str, str]] = json.loads((folder / "more.json").read_text())
    return done | adding([IndexedPassage(*x, language="en") for x in more], index)


def occupied(folder: Path) -> float:
    return round(sum(file.stat().st_size for file in folder.iterdir()) / 1e6, 1)


def adding(more: list[IndexedPassage], index: tantivy.Index) -> dict[str, float]:
    """Seconds until `more` passages can be found, and until their postings are merged as well."""
    added = add(more)
    began = time.perf_counter()
    compact()
    merged = time.perf_counter()
    add_to_tantivy(index.writer(HEAP, 1), more)
    return {
        "added_s": round(added, 1),
        "merged_s": round(merged - began, 1),
        "tantivy_added_s": round(time.perf_counter() - merged, 1),
    }


def report(done: dict[str, Any]) -> None:
    print(f"\n{done['passages']:,} passages, MB {done['mb']}")
    rows = [[name, *figures.values()] for name, figures in done["ms"].items()]
    table([f"{done['questions']} questions", "p50 ms", "p99 ms", "CPU p50", "CPU p99"], rows)
    print(
        f"{MORE:,} more: added in {done['added_s']} s, merged in {done['merged_s']} s more;", end=""
    )
    print(f"by tantivy in {done['tantivy_added_s']} s\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passages", type=int, nargs="?", help="1000000 if not said")
    parser.add_argument("--folder", type=Path, help="keeps both indexes")
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    given = parser.parse_args()
    n = given.passages or (20_000 if given.quick else 1_000_000)
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        done = run(given.folder, n)
    else:
        with temporary_folder() as folder:
            done = run(folder, n)
    report(done)
    ours, beside = done["ms"]["ours"], done["ms"]["tantivy"]
    conclude(
        "scale",
        [
            Aim("p50 ms of a query", ours["p50"], "<=", 10),
            Aim(
                f"a query of {done['passages']:,} passages, p50",
                ours["p50"] / beside["p50"],
                "<=",
                2,
                "tantivy",
                ours["p50"],
                beside["p50"],
                "ms",
            ),
        ],
        results=[done],
    )


if __name__ == "__main__":
    main()
