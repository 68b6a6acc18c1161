"""What it costs to have an index outside of Postgres follow: writing, preparing, comparing.

    python -m bench.remote_index [--pages 400] [--url http://127.0.0.1:9200]

Pages of seven passages of bench/recombined.py's collection are stored in batches of 20, by turns
while an index follows and while none does. Without `--url` nothing is sent anywhere. With it, the
OpenSearch there is sent all passages and asked by turns with Postgres: it should have nothing else
to do, and its index is deleted again. Writes bench/out/remote_index.json.
"""

import argparse
import itertools
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median
from typing import Any

from app.core import db, ids
from app.domains.library.passages import change_store, changes, service
from app.domains.library.passages.index import retriever
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.prepared import PreparedPage
from app.domains.library.passages.prepared import prepare as prepare_of_prepared
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from app.engine.search.interface import LexQuery
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.index import OpenSearchIndex
from app.engine.search.opensearch.retriever import OpenSearchRetriever
from app.engine.search.remote import Addition
from app.engine.text import analysis
from bench import recombined
from bench.figures import conclude, table
from tests import servers

CORPUS = ids.new()
PASSAGES_PER_PAGE, PAGES_PER_BATCH = 7, 20
QUERIES, CANDIDATES = 200, 100


class Sink:
    """A cluster that takes everything, and keeps nothing but how much that was."""

    host = "nowhere"

    def __init__(self) -> None:
        self.octets = 0

    def bulk(self, _index: str, body: str, _seconds: float, **_: bool) -> list[dict[str, Any]]:
        self.octets += len(body.encode())
        return [{"status": 201}] * (body.count("\n") // 2)


def run(pages: int, server_url: str) -> dict[str, Any]:
    prepared = [prepare(text) for text in texts(pages)]
    with servers.postgres() as server, servers.database(server) as url:
        db.open(url, statement_timeout_seconds=600)
        following, alone = store(prepared)
        done: dict[str, Any] = {"pages": pages, "stored_ratio": round(following / alone, 3)}
        done.update(log_size())
        done.update(preparing())
        done.update(serving(server_url) if server_url else {})
        began = time.perf_counter()
        with db.reading() as reader:
            width = change_store.width(reader)
            passages = sum(n for n, _ in changes.buckets(reader, width).values())
        done["compared_per_s"] = round(passages / (time.perf_counter() - began))
        done["passages"] = passages
        db.close()
    return done


def texts(pages: int) -> list[str]:
    """One passage is a paragraph of its page."""
    found = recombined.passages(pages * PASSAGES_PER_PAGE)
    return [
        "\n\n".join(passage.text for passage in itertools.islice(found, PASSAGES_PER_PAGE))
        for _ in range(pages)
    ]


def prepare(text: str) -> PreparedPage:
    source = ids.new()
    url = f"https://docs.example.org/{source}"
    page = read(text.encode(), "text/plain", "utf-8", url)
    reading = prepare_page(page)
    return prepare_of_prepared(CORPUS, source, url, reading, datetime.now(UTC))


def store(prepared: list[PreparedPage]) -> tuple[float, float]:
    """The median seconds of a batch while an index follows, and while none does."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for number, first in enumerate(range(0, len(prepared), PAGES_PER_BATCH)):
        follows = number % 2 == 0
        with db.transaction() as tx:
            if follows:
                changes.begin(tx, "bench-")
            else:
                changes.detach(tx)
        began = time.perf_counter()
        with db.transaction() as tx:
            service.replace(tx, prepared[first : first + PAGES_PER_BATCH])
        seconds[follows].append(time.perf_counter() - began)
    return median(seconds[True]), median(seconds[False])


def log_size() -> dict[str, float]:
    with db.reading() as reader:
        octets = db.value(reader, "select pg_total_relation_size('passage_changes')")
        passages = db.value(reader, "select sum(passages) from passage_changes")
    return {"log_octets_per_passage": round(octets / passages, 1)}


def preparing() -> dict[str, float]:
    """Reading passages from Postgres, analysing and writing them as lines of JSON."""
    sink = Sink()
    began, worked = time.perf_counter(), time.process_time()
    passages = build(OpenSearchIndex(sink, "bench"))  # type: ignore[arg-type]
    return {
        "sent_octets_per_passage": round(sink.octets / passages),
        "prepared_per_s": round(passages / (time.perf_counter() - began)),
        "prepared_per_cpu_s": round(passages / (time.process_time() - worked)),
    }


def build(index: OpenSearchIndex) -> int:
    """Send all passages as a rebuild does; how many there were."""
    with db.transaction() as tx:
        changes.detach(tx)
        begun = changes.begin(tx, "bench-")
    passages = 0
    while True:
        with db.reading() as reader:
            waiting, _ = changes.unbuilt(reader, begun)
        if not waiting:
            return passages
        additions = [Addition(x, t, 1) for x, t in retriever.analyse(waiting)]
        index.apply(additions)
        with db.transaction() as tx:
            changes.built(tx, begun, waiting[-1].id)
            following = changes.building(tx)
        assert following is not None
        begun, passages = following, passages + len(waiting)


def serving(url: str) -> dict[str, Any]:
    """Sending all to a real server, and the candidates of searches by turns with Postgres."""
    cluster = Cluster(url)
    index = OpenSearchIndex(cluster, f"bench-{ids.new().hex}")
    there = OpenSearchRetriever(cluster, prefix="bench-", seconds=60.0)
    here = PostgresRetriever(db.reading)
    index.create()
    try:
        began = time.perf_counter()
        passages = build(index)
        index.serve(f"bench-{NAMESPACE}")
        taken = passages / (time.perf_counter() - began)
        seconds: dict[bool, list[float]] = {True: [], False: []}
        agreed = 0
        for query in queries():
            found = []
            for remote in (True, False):
                began = time.perf_counter()
                found.append((there if remote else here).lexical(NAMESPACE, query, CANDIDATES))
                seconds[remote].append(time.perf_counter() - began)
            ours, theirs = ([hit.passage_id for hit in hits[:10]] for hits in found)
            agreed += ours == theirs
    finally:
        index.drop()
    return {
        "taken_per_s": round(taken),
        "opensearch_p50_ms": round(median(seconds[True]) * 1000, 1),
        "postgres_p50_ms": round(median(seconds[False]) * 1000, 1),
        "of_postgres": round(median(seconds[True]) / median(seconds[False]), 2),
        "same_ten_best": agreed,
        "queries": QUERIES,
    }


def queries() -> Iterator[LexQuery]:
    """Of four words each, of passages drawn at random."""
    dice, found = random.Random(7), recombined.passages(QUERIES)
    for passage in found:
        words = sorted(set(analysis.terms(passage.text, "en")))
        yield LexQuery(tuple((word, 1.0) for word in dice.sample(words, min(4, len(words)))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--url", default="", help="of an OpenSearch with nothing else to do")
    options = parser.parse_args()
    done = run(options.pages, options.url)
    table(["figure", "value"], [[name, value] for name, value in done.items()])
    conclude("remote_index", [], **done)


if __name__ == "__main__":
    main()
