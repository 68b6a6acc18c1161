"""A site on loopback, and an operator who indexes it."""

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from app.core import db
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.library.corpora import service as corpora
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.store import located_passages
from app.domains.queue.jobs import store
from app.domains.queue.jobs.store import Job
from app.engine.search.interface import LexQuery
from app.engine.text import analysis
from workers.queue.runner import Runner

FILLER = "The manual explains every setting with an example and says what its default value is."


@dataclass
class Site:
    """Pages by path: a body, or (status, headers, body). Counts the requests for each path."""

    pages: dict[str, Any] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    url: str = ""
    before: Callable[[str], None] = lambda path: None

    def page(self, path: str, words: str, *links: str, head: str = "") -> None:
        anchors = "".join(f'<p>See <a href="{link}">this</a> too.</p>' for link in links)
        self.pages[path] = (
            f"<html lang=en><head><title>About {words}</title>{head}</head><body><main>"
            f"<h1>{words}</h1><p>This page is about {words}. {FILLER}</p>{anchors}</main></body>"
        )

    def answer(self, path: str, headers: Any) -> tuple[int, dict[str, str], bytes]:
        self.asked[path] += 1
        self.before(path)
        found = self.pages.get(path)
        if found is None:
            return 404, {}, b""
        if isinstance(found, tuple):
            status, more, body = found
            return status, more, body if isinstance(body, bytes) else body.encode()
        etag = f'"{hash(found)}"'
        if headers.get("If-None-Match") == etag:
            return 304, {"ETag": etag}, b""
        return 200, {"ETag": etag, "Content-Type": "text/html; charset=utf-8"}, found.encode()


class Operator:
    """Does what the command line and a worker do."""

    def __init__(self, settings: Settings, site: Site) -> None:
        self.settings = replace(settings, fetch_allow=site.url.removeprefix("http://"))
        self.publisher = events.Publisher(events.connect(settings.redis_url))

    def add(self, name: str, kind: str, location: str, **options: Any) -> UUID:
        with db.transaction() as tx:
            return corpora.add(tx, name, kind, location, options)

    def start(self, name: str) -> UUID:
        with db.transaction() as tx:
            return corpora.refresh(tx, name)

    def work(self, job_id: UUID, worker: str = "w:1:1") -> None:
        Runner(self.settings, worker, self.publisher).run([job_id])

    def refresh(self, name: str) -> Job:
        job_id = self.start(name)
        self.work(job_id)
        return self.job(job_id)

    def job(self, job_id: UUID) -> Job:
        with db.transaction() as tx:
            job = store.by_id(tx, job_id)
        assert job is not None
        return job

    def outcomes(self, site: Site) -> dict[str, str]:
        with db.transaction() as tx:
            rows = tx.execute("select url, outcome from pages").fetchall()
        return {url.removeprefix(site.url): outcome for url, outcome in rows}

    def found(self, words: str) -> list[str]:
        """URLs of the passages that hold any of the words, best first, each once."""
        query = LexQuery(tuple((term, 1.0) for term in analysis.terms(words, "en")))
        with db.transaction() as tx:
            retriever = PostgresRetriever(lambda: nullcontext(tx))
            hits = retriever.lexical(NAMESPACE, query, 100)
            located = located_passages(tx, [hit.passage_id for hit in hits])
        assert len(located) == len(hits)
        return list(dict.fromkeys(x.url for x in located))
