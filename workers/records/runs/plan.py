"""The beginning of a run: its first pages, what examples teach, its first lanes."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from app.core import db
from app.core.db import Tx
from app.domains.queue.jobs.parts import Wait
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import continuation, page_store, page_turn_store, run_store
from app.domains.records.page_jobs.runs.continuation import READING
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import JOIN_SECONDS
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.site.template import Template
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox import visit
from app.engine.sandbox.reader import UNHURRIED
from workers.queue.attempt import Attempt
from workers.records.lanes.web import JobWeb, job_web
from workers.records.runs.sources import planned

_NOT_SHOWN = "example_not_shown: {url}: the page does not show the value of {fields}."


def plan(attempt: Attempt, run: JobRun, job: PageJob) -> Wait:
    """Find the first pages of a run and wait for the lanes that read them.

    Pages that the run has already stay. Raises what `planned` raises.
    """
    attempt.stage("planning", 0)
    web = job_web(attempt.settings)
    web.reader.warm()
    found = planned(attempt, job, web)
    examples, warnings = _learnt(attempt, web, job)
    with db.reading() as reader:
        waiting = list(page_turn_store.queued_hosts(reader, run.id))
    unpaced = _unpaced(web, [*found.urls, *waiting])
    attempt.stage("reading", 5)

    def write(tx: Tx) -> None:
        added = page_store.add(tx, run.id, found.urls, most=job.body["max_pages"])
        start = {"start": found.start} if found.start else {}
        limit = {"page_limit": True} if added.left_out else {}
        run_store.note(tx, run.id, {**start, **limit})
        run_store.learn(tx, run.id, examples)
        for host in unpaced:
            run_store.set_unpaced(tx, run.id, host)
        for warning in [*found.warnings, *warnings]:
            store.warn(tx, job.id, warning)
        run_store.set_stage(tx, run.id, READING)
        continuation.open_lanes(tx, run.id, attempt.account_id, attempt.id)

    # Without a page there is no lane to wait for: the run goes on at once, and ends.
    return Wait(write, ends_at(attempt) if found.urls or waiting else None)


def ends_at(attempt: Attempt) -> datetime:
    """When a run has to end with what it has; its job's own deadline leaves time for that."""
    return attempt.now + timedelta(seconds=attempt.seconds_left - JOIN_SECONDS)


def _unpaced(web: JobWeb, urls: list[str]) -> list[str]:
    hosts = {urlsplit(url).hostname or "": url for url in urls if "://" in url}
    return [host for host, url in hosts.items() if web.is_unpaced(url)]


def _learnt(attempt: Attempt, web: JobWeb, job: PageJob) -> tuple[dict[str, Any], list[str]]:
    """Learns by host what the examples teach, of which earlier ones count more; a warning for each
    that cannot be read, or has values that its page does not show.
    """
    learnt: dict[str, Template] = {}
    warnings: list[str] = []
    for example in job.body.get("examples") or ():
        attempt.check()
        url = example["url"]
        response = web.fetch_patiently(url)
        try:
            if isinstance(response, str):
                raise _ExampleUnreadable(response)
            template = web.reader.learn_example(
                visit.document_of(response), UNHURRIED, job.body["schema"], example["data"]
            )
        except (_ExampleUnreadable, PageUnreadable) as unreadable:
            warnings.append(f"example_unreadable: {url}: {unreadable}")
            continue
        if untaught := template.untaught():
            warnings.append(_NOT_SHOWN.format(url=url, fields=", ".join(untaught)))
        host = urlsplit(url).hostname or ""
        learnt[host] = template.joined(learnt.get(host, Template()))
    return {host: {"example": its.as_json()} for host, its in learnt.items()}, warnings


class _ExampleUnreadable(Exception):
    """The outcome of fetching it."""
