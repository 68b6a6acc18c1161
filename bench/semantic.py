"""Meaning beside words: nDCG@10 of fusion in its forms, and what it adds to the time of a search.

    OPENBLAS_NUM_THREADS=1 python -m bench.semantic [--quick]      (one thread, as workers have)

Quality: the in-memory oracle's best two hundred by BM25, rescored as the product does from vectors
as they are stored; beside it the same with the nearest by cosine among all passages added (a full
hybrid), and the nearest alone. Vectors of a collection are computed once and kept in bench/out.
Speed: the product's own `retrieve` over Postgres with and without the model, in turn for each
question, by the clock and by the processor time of this process, which other load disturbs less.
Needs the packaged model, see docs/how-to/add-semantic-search.md.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from statistics import mean, median
from uuid import uuid4

import numpy as np

from app.core import db, ids
from app.core.config.settings import Settings
from app.domains.library.passages import retrieval, vector_store, vectors
from app.domains.library.passages import service as passages
from app.domains.library.passages.prepared import prepare
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, rescore
from app.engine.semantic.embedder import Embedder, Vectors, embedder_for
from app.engine.semantic.quantization import pack, unpack
from bench import recombined
from bench.figures import OUT, Aim, conclude, ndcg, percentile, table
from bench.memory_retriever import MemoryRetriever
from tests import servers
from workers.index.embeddings import embedders_of
from workers.searches.candidates import retrieve
from workers.searches.web_pages import WebPages

# As workers/searches/candidates.py does; the nearest for comparison.
HITS, MOST, NEAREST = 200, 100, 50
INDEXED = 400  # pages of the speed comparison
OPTIONS = {"depth": "standard", "max_sources": 10}
FORMS = ("BM25", "+ bonus", "fused", "hybrid", "cosine")


def quality(name: str, embedder: Embedder) -> dict[str, float]:
    """nDCG@10 of each form."""
    docs, queries = recombined.lines(name, "docs.jsonl"), recombined.lines(name, "queries.jsonl")
    grades = recombined.grades(name)
    known = [
        IndexedPassage(i, doc["id"], doc["text"], title=doc.get("title") or "", language="en")
        for i, doc in enumerate(docs)
    ]
    index = MemoryRetriever()
    index.upsert("", known)
    stored = unpack(pack(embedded(name, embedder, known)), embedder.dimensions)
    reached: defaultdict[str, list[float]] = defaultdict(list)
    for item in queries:
        if item["id"] not in grades:
            continue
        query = parse(item["text"], language="en")
        stats = index.stats("", query.terms)
        every = {hit.passage_id: hit.score for hit in index.lexical("", query.lexical(), len(docs))}
        best = list(every)[:HITS]
        cosines = stored @ embedder.embed_question(item["text"], seconds=60)
        nearest = [int(i) for i in np.argsort(-cosines, kind="stable")[:NEAREST]]
        plain = [PassageCandidate(known[i], every[i]) for i in best]
        both = [
            PassageCandidate(known[i], every.get(i, 0.0), float(cosines[i]))
            for i in dict.fromkeys([*best, *nearest])
        ]
        orders = {
            "BM25": [x.passage for x in plain],
            "+ bonus": [x.passage for x in rescore(query, plain[:MOST], stats)],
            "fused": [x.passage for x in rescore(query, both[: len(best)], stats, MOST)],
            "hybrid": [x.passage for x in rescore(query, both, stats, MOST)],
            "cosine": [known[i] for i in nearest],
        }
        for form, order in orders.items():
            reached[form].append(ndcg([x.source_id for x in order], grades[item["id"]]))
    return {form: mean(reached[form]) for form in FORMS}


def embedded(name: str, embedder: Embedder, known: list[IndexedPassage]) -> Vectors:
    """The collection's vectors, from bench/out if they were computed before."""
    OUT.mkdir(exist_ok=True)
    path = OUT / f"vectors-{name}-{embedder.name.replace(':', '-')}.npy"
    if not path.exists():
        began = time.perf_counter()
        np.save(path, embedder.embed([x.indexed_text for x in known], seconds=3600))
        print(f"{name}: {len(known) / (time.perf_counter() - began):.1f} passages/s embedded")
    found: Vectors = np.load(path)
    return found


def speed(embedder: Embedder, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """seconds of `retrieve` for each question, by words alone and with all vectors present.

    Under each form (by the clock, by our processor time).
    """
    with servers.postgres() as server, servers.database(server) as url:
        db.open(url)
        without = Settings(
            database_url=url, redis_url="", secret_key="x" * 32, embeddings_packaged=False
        )
        with_model = replace(without, embeddings_packaged=True)
        fill(embedder)
        took: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        questions = recombined.lines("cranfield", "queries.jsonl")[:rounds]
        for item in [*questions[:5], *questions]:
            query = parse(item["text"], language="en")
            for form, settings in (("words", without), ("meaning", with_model)):
                took[form].append(timed(partial(retrieve, settings, query, OPTIONS, WebPages())))
            alone = partial(embedder.embed, [item["text"]], seconds=60)
            took["query alone"].append(timed(alone))
        db.close()
    return {form: seconds[5:] for form, seconds in took.items()}  # the first five warm up


def timed(act: Callable[[], object]) -> tuple[float, float]:
    began, used = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - began, time.process_time() - used


def fill(embedder: Embedder) -> None:
    """Index some pages of Cranfield and embed their passages."""
    for doc in recombined.lines("cranfield", "docs.jsonl")[:INDEXED]:
        address = f"https://example.org/{doc['id']}"
        page = read(doc["text"].encode(), "text/plain", "utf-8", address)
        page = replace(page, language="en")
        prepared = prepare(uuid4(), ids.new(), address, prepare_page(page), datetime.now(UTC))
        with db.transaction() as tx:
            passages.replace(tx, [prepared])
    with db.reading() as reader:
        found = retrieval.passages(
            reader, vectors.missing(reader, embedder, 0, vector_store.newest(reader), 10 * INDEXED)
        )
    given = embedder.embed([x.indexed_text for x in found], seconds=3600)
    with db.transaction() as tx:
        vectors.keep(tx, embedder, found, given)


def figures(seconds: list[tuple[float, float]]) -> tuple[float, float, float]:
    """Milliseconds: p50 and p99 by the clock, p50 of processor time."""
    clock, processor = zip(*seconds, strict=True)
    return 1000 * median(clock), 1000 * percentile(clock, 0.99), 1000 * median(processor)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="the smaller collection, few rounds")
    quick = options.parse_args().quick
    embedder = embedder_for(
        embedders_of(Settings(database_url="", redis_url="", secret_key="x" * 32)), "en"
    )
    if embedder is None:
        raise SystemExit("The packaged model is not installed.")
    names = [
        name
        for name in (("cranfield",) if quick else ("cranfield", "vaswani"))
        if (recombined.DATA / f"{name}.tar.xz").exists()
    ]
    reached = {name: quality(name, embedder) for name in names}
    table(
        ["nDCG@10", *FORMS],
        [(name, *(f"{reached[name][form]:.4f}" for form in FORMS)) for name in names],
    )
    took = speed(embedder, 40 if quick else 200)
    rows = [(form, *figures(seconds)) for form, seconds in took.items()]
    table(["retrieve, ms", "p50", "p99", "p50 of CPU"], rows)
    more = {form: p50 for form, p50, *_ in rows}
    used = {form: cpu for form, *_, cpu in rows}
    wanted = {"cranfield": 0.44, "vaswani": 0.50}
    aims = [
        Aim(f"nDCG@10 {name}, fused", reached[name]["fused"], ">=", wanted[name]) for name in names
    ]
    conclude(
        "semantic",
        [
            *aims,
            Aim("milliseconds more, p50", more["meaning"] - more["words"], "<=", 30.0),
            Aim("milliseconds more of CPU, p50", used["meaning"] - used["words"], "<=", 30.0),
        ],
        model=embedder.name,
        ndcg=reached,
        milliseconds={form: {"p50": a, "p99": b, "cpu_p50": c} for form, a, b, c in rows},
    )


if __name__ == "__main__":
    main()
