"""A site on loopback, and jobs that read it: what workers do, job by job, in this process."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.library.passages import snapshots
from app.domains.queue.jobs.dispatch import sweep
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store, record_store, run_store
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.runs.record_store import StoredRecord
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.store import PageJob
from tests import builders
from tests.internet import Internet
from workers.queue.runner import Runner
from workers.records.lanes import lane

MOST_PAGES = 20_000
TEXT = {"Content-Type": "text/plain"}

LAMP = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
    "required": ["name"],
}
DUE = """
    select id from jobs where queue in ('extraction', 'rendering') and run_at <= now()
      and state in ('queued', 'dispatched') order by priority, id limit 1
    """
PASS_DEADLINE = """
    update jobs set run_at = now(), deadline_at = now() + interval '100 s' where id = %s
    """
WAKE_DUE = """
    update jobs set state = 'queued'
    where state = 'waiting' and run_at <= now() and queue = 'extraction'
    """


def lamp(name: str, price: float, *links: str, head: str = "") -> str:
    """A page about one product."""
    anchors = "".join(f'<p>See <a href="{link}">another one</a>.</p>' for link in links)
    return (
        f"<html lang=en><head><title>{name}</title>{head}<script type='application/ld+json'>"
        f'{{"@type": "Product", "name": "{name}", "offers": {{"price": "{price}"}}}}</script>'
        f"</head><body><main><h1>{name}</h1><p>Price: ${price:.2f}</p>{anchors}</main></body>"
    )


@dataclass
class Workshop:
    """Submits jobs and does their work."""

    settings: Settings
    site: Internet
    account_id: UUID

    @classmethod
    def over(cls, settings: Settings, site: Internet, **more: Any) -> "Workshop":
        allowed = f"127.0.0.1:{site.port},localhost:{site.port}"
        with db.transaction() as tx:
            account_id = builders.account(tx)
        return cls(replace(settings, extract_fetch_allow=allowed, **more), site, account_id)

    def submit(self, source: dict[str, Any], **body: Any) -> PageJob:
        whole = {
            "type": "extraction",
            "source": source,
            "schema": LAMP,
            "max_pages": MOST_PAGES,
            "deadline_seconds": 3_600,
            **body,
        }
        with db.transaction() as tx:
            return extractions.submit(tx, self.account_id, "extraction", whole, kept_seconds=86_400)

    def urls(self, *paths: str) -> dict[str, Any]:
        return {"type": "urls", "urls": [self.site.url + path for path in paths]}

    def lamps(self, count: int) -> None:
        """Pages /0, /1, ... with a record each."""
        for n in range(count):
            self.site.pages[f"/{n}"] = lamp(f"Lamp {n}", n + 0.5)

    def sitemap(self, *paths: str) -> None:
        urls = "".join(f"<url><loc>{self.site.url}{path}</loc></url>" for path in paths)
        self.site.pages["/sitemap.xml"] = (
            200,
            {"Content-Type": "application/xml"},
            f"<urlset>{urls}</urlset>".encode(),
        )

    def with_engine(self) -> "Workshop":
        allow = self.settings.extract_fetch_allow
        settings = self.site.configured(self.settings, "searxng", extract_fetch_allow=allow)
        return replace(self, settings=settings)

    def text_of(self, page: JobPage) -> str:
        assert page.snapshot_id is not None
        with db.reading() as reader:
            return snapshots.find(reader, page.snapshot_id).text

    def pass_deadline(self, job: PageJob) -> None:
        """Let the time of the job's run be over."""
        with db.transaction() as tx:
            tx.execute(PASS_DEADLINE, (job.run_id,))

    def in_transaction(self, act: Callable[[db.Tx], Any]) -> Any:
        with db.transaction() as tx:
            return act(tx)

    def expire_leases(self) -> None:
        """Let the workers of all jobs have been dead for long, and sweep."""
        with db.transaction() as tx:
            tx.execute(
                "update jobs set lease_until = now() - interval '1 s' where state = 'running'"
            )
        with db.transaction() as tx:
            sweep.sweep(tx)
        with db.transaction() as tx:
            tx.execute("update jobs set run_at = now() where state = 'queued'")

    def die_once(
        self,
        module: ModuleType,
        name: str,
        monkeypatch: pytest.MonkeyPatch,
        death: type[BaseException],
    ) -> None:
        """The first call of this function, after its work, is the worker's last."""
        lives = [death]
        real = getattr(module, name)

        def mortal(*args: Any, **options: Any) -> Any:
            result = real(*args, **options)
            if lives:
                raise lives.pop()
            return result

        monkeypatch.setattr(module, name, mortal)

    def die_at_each(
        self, url: str, monkeypatch: pytest.MonkeyPatch, death: type[BaseException]
    ) -> None:
        """Whoever reads this page dies."""
        real = lane.result_of

        def mortal(task: Any, page: JobPage, *args: Any) -> Any:
            if page.url == url:
                raise death
            return real(task, page, *args)

        monkeypatch.setattr(lane, "result_of", mortal)

    def work(self, most: int = 200, worker: str = "w:1:1") -> int:
        """Do jobs that are due until none is, at most so many; how many were done."""
        runner = Runner(
            self.settings, worker, events.Publisher(events.connect(self.settings.redis_url))
        )
        for done in range(most):
            with db.transaction() as tx:
                tx.execute(WAKE_DUE)
                id = db.value(tx, DUE)
            if id is None:
                return done
            runner.run([id])
        return most

    def read(self, source: dict[str, Any], **body: Any) -> "Outcome":
        job = self.submit(source, **body)
        self.work()
        return self.outcome(job)

    def outcome(self, job: PageJob) -> "Outcome":
        with db.reading() as reader:
            now = store.of_anybody(reader, job.id)
            assert now is not None
            assert now.run_id is not None
            run = run_store.by_id(reader, now.run_id)
            assert run is not None
            pages = page_store.listed(reader, run.id, outcome=None, after=0, most=10_000)
            records = record_store.after(reader, run.id, 0, 100_000)
        return Outcome(now, run, pages, records, self.site.url)

    def states(self) -> list[tuple[str, str]]:
        with db.reading() as reader:
            return reader.execute("select kind, state from jobs order by id").fetchall()


@dataclass
class Outcome:
    job: PageJob
    run: JobRun
    pages: list[JobPage]
    records: list[StoredRecord]
    base: str

    @property
    def outcomes(self) -> dict[str, str | None]:
        return {page.url.removeprefix(self.base): page.outcome for page in self.pages}

    @property
    def data(self) -> list[dict[str, Any]]:
        return [record.data for record in self.records]

    @property
    def by_path(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for record in self.records:
            found.setdefault(record.url.removeprefix(self.base), []).append(record.data)
        return found
