"""Queues in every state, workers, jobs that failed, and corpora."""

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from app.core import db, ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.library.corpora import service as corpora
from app.domains.library.passages import snapshots
from app.domains.queue.jobs import dispatch_store, kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.operations import bulk, worker_store, workers
from app.domains.queue.jobs.operations.listing_store import Filter
from app.domains.queue.jobs.operations.queues import queue_store, queues
from app.domains.search.searches import service as searches
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("ops", "/ops", "operator"),
    Page("ops-24h", "/ops?window=24h", "operator"),
    Page("ops-queue", "/ops/queues/extraction", "operator"),
    Page("ops-queue-paused", "/ops/queues/webhooks", "operator"),
    Page("ops-jobs", "/ops/jobs?kind=searches.answer&state=failed", "operator"),
    Page("ops-jobs-no-match", "/ops/jobs?kind=nothing", "operator"),
    Page("ops-jobs-refused", "/ops/jobs?account=x", "operator", 422),
    Page("ops-job-failed", "/ops/jobs/{failed_task}", "operator"),
    Page("ops-job-running", "/ops/jobs/{running_task}", "operator"),
    Page("ops-bulk-new", "/ops/bulk/new?action=retry&kind=searches.answer", "operator"),
    Page("ops-bulk-nothing", "/ops/bulk/new?action=cancel&kind=nothing", "operator"),
    Page("ops-bulk", "/ops/bulk/{bulk}", "operator"),
    Page("ops-bulk-list", "/ops/bulk", "operator"),
    Page("corpora", "/corpora", "operator"),
    Page("corpus-new", "/corpora/new", "operator"),
    Page("corpus", "/corpora/handbook", "operator"),
    Page("corpus-unread", "/corpora/blog", "operator"),
    Page("ops-others", "/ops", status=404),
)
EXTRACTION = kinds.Kind(name="extractions.seeded", queue="extraction", deadline_seconds=600)
OUTAGE = {"code": "storage_unavailable", "message": "The database is temporarily unavailable."}
LATE = {"code": "deadline_exceeded", "message": "The job did not finish by its deadline."}


def plant(site: "Site") -> None:
    with db.transaction() as tx:
        dispatch_store.beat(tx, "host1:4700", sleeping=True)
        queue_store.establish(tx, ["corpora", "extraction", "searches", "webhooks"])
        staff(tx)
        past(tx)
        site.ids["failed_task"] = ids.public(Noun.TASK, failed(tx, site))
        site.ids["running_task"] = ids.public(Noun.TASK, busy(tx, site))
        queues.pause(tx, "webhooks", "operator@example.org")
        wanted = Filter(state="failed", kind=searches.KIND.name)
        site.ids["bulk"] = ids.public(Noun.BULK_ACTION, bulk.request(tx, "retry", wanted, "ada").id)
        index(tx)


def staff(tx: Tx) -> None:
    for id, name, served in (
        ("host1:4711", "host1:searches", ["searches"]),
        ("host1:4712", "host1:extraction", ["extraction"]),
        ("host2:981", "host2:corpora", ["corpora", "webhooks"]),
        ("host3:77", "host3:extraction", ["extraction"]),
    ):
        worker_store.beat(tx, worker_store.Beat(id, name, served, 4, "0.1.0", 420_000_000))
    tx.execute("update workers set seen_at = now() - interval '6 min' where id = 'host3:77'")
    tx.execute("update workers set seen_at = now() + interval '1 day' where id <> 'host3:77'")
    workers.drain(tx, "host2:981")


def past(tx: Tx) -> None:
    """An hour in which extraction grew, with a gap of five minutes."""
    at = datetime.now(UTC).replace(microsecond=0)
    at -= timedelta(seconds=at.timestamp() % 10)
    for n in range(360):
        if not 100 < n < 130:
            sample(tx, at - timedelta(seconds=10 * (360 - n)), n, 10)
    for n in range(288):
        sample(tx, at.replace(minute=0, second=0) - timedelta(minutes=5 * n), 3 * n % 400, 300)


def sample(tx: Tx, at: datetime, n: int, step: int) -> None:
    for queue, waiting in (
        ("extraction", n // 12),
        ("searches", round(8 + 7 * math.sin(n / 20))),
        ("corpora", 0),
        ("webhooks", 0),
    ):
        busy = min(waiting, 4)
        row = (step, at, queue, waiting, busy, waiting * 3.0, busy, int(n % 90 == 7), 1)
        tx.execute("insert into queue_samples values (%s, %s, %s, %s, %s, %s, %s, %s, %s)", row)


def failed(tx: Tx, site: "Site") -> Any:
    """Six searches of an hour, for two reasons; the last of them after a retry."""
    for n in range(6):
        id = jobs.enqueue(tx, searches.KIND, site.account, {"rerun_seconds": 120})
        tx.execute(
            "update jobs set state = 'failed', attempt = 2, worker = 'host1:4711:4720',"
            " error = %s::jsonb, created_at = now() - interval '9 min',"
            " started_at = now() - interval '8 min', finished_at = now() - interval '7 min'"
            " where id = %s",
            [db_json(OUTAGE if n % 3 else LATE), id],
        )
        tx.execute(
            "insert into job_attempts (job_id, attempt, worker, ended_at, outcome, error)"
            " values (%s, 1, 'host1:4711:4719', now() - interval '450 s', 'lost', null),"
            " (%s, 2, 'host1:4711:4720', now() - interval '7 min', 'failed', %s::jsonb)",
            [id, id, db_json(OUTAGE if n % 3 else LATE)],
        )
    return id


def busy(tx: Tx, site: "Site") -> Any:
    """Extraction with 43 waiting and two at work; searches with a few."""
    for _ in range(43):
        jobs.enqueue(tx, EXTRACTION, site.account, {"run_id": str(ids.new())})
    for _ in range(5):
        jobs.enqueue(tx, searches.KIND, site.account, {"rerun_seconds": 120})
    tx.execute("update jobs set run_at = now() - interval '94 s' where queue = 'extraction'")
    for queue, worker in (("extraction", "host1:4712:1"), ("searches", "host1:4711:2")):
        tx.execute(
            "update jobs set state = 'running', worker = %s, attempt = 1, started_at = now(),"
            " lease_until = now() + interval '1 day', progress = %s::jsonb"
            " where id in (select id from jobs where queue = %s and state = 'queued' limit 1)",
            [worker, db_json({"stage": "reading", "percent": 40, "pages_done": 8}), queue],
        )
    return tx.execute(
        "select id from jobs where state = 'running' and queue = 'extraction'"
    ).fetchone()[0]  # type: ignore[index]


def db_json(value: dict[str, Any]) -> str:
    return json.dumps(value)


def index(tx: Tx) -> None:
    """A corpus that was read, with pages that could not be, and one that waits."""
    week = 7 * 86_400
    handbook = corpora.add(
        tx, "handbook", "site", "https://handbook.example.org/", refresh_every_seconds=week
    )
    corpora.add(tx, "blog", "sitemap", "https://blog.example.org/sitemap.xml")
    corpora.refresh(tx, "blog")
    at = datetime.now(UTC) - timedelta(hours=3)
    snapshot = snapshots.keep_text(
        tx,
        url="https://handbook.example.org/",
        title="Handbook",
        text="Owls",
        visible_end=4,
        language="en",
        fetched_at=at,
    )
    for n in range(40):
        outcome = {3: "http_404", 7: "timeout", 9: "timeout"}.get(n, "unchanged")
        tx.execute(
            "insert into pages (id, corpus_id, url, outcome, snapshot_id, passages, seen_in,"
            " fetched_at) values (%s, %s, %s, %s, %s, %s, %s, %s)",
            [
                ids.new(),
                handbook,
                f"https://handbook.example.org/{n}",
                outcome,
                snapshot if outcome == "unchanged" else None,
                12 if outcome == "unchanged" else 0,
                ids.new(),
                at,
            ],
        )
    job = corpora.refresh(tx, "handbook")
    tx.execute("update jobs set state = 'succeeded', finished_at = now() where id = %s", [job])
    tx.execute("update corpora set refreshed_at = now() where id = %s", [handbook])
