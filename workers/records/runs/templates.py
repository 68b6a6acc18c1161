"""Learning from the pages of a host which values are template text and which places hold values."""

from uuid import UUID

from app.core import db
from app.domains.queue.jobs.service import Finish
from app.domains.records.page_jobs import kinds, store
from app.domains.records.page_jobs.runs import page_store, results, run_store
from app.domains.records.page_jobs.runs.page_store import WithReadings
from app.engine.extraction.records.readings import Readings
from app.engine.extraction.site.consensus import learn
from app.engine.extraction.site.template import Template
from workers.queue.attempt import Attempt, Lost, handles
from workers.records.lanes.page_outcome import ReadingTask

MOST_LEARNT_FROM = 200
_AT_ONCE = 50


@handles(kinds.CONSENSUS)
def learn_host(attempt: Attempt) -> Finish:
    """Learn from one host's pages, and make their records anew from what was read first."""
    with db.reading() as reader:
        run = run_store.by_id(reader, UUID(attempt.payload["run_id"]))
        job = store.of_anybody(reader, run.job_id) if run else None
    if run is None or job is None:
        raise Lost
    learn_from(attempt, ReadingTask.of(run, job), attempt.payload["host"])
    return lambda _tx: None


def learn_from(attempt: Attempt, task: ReadingTask, host: str) -> None:
    """The same from the same pages, however often it is done; nothing is fetched."""
    template = _template(attempt, task, host)
    if template is None or task.plan is None:
        return
    with attempt.step() as tx:
        page_store.lock_run(tx, task.run_id)
        run = run_store.by_id(tx, task.run_id)
        known = run.templates.get(host, {}) if run else {}
        run_store.learn(tx, task.run_id, {host: {**known, "template": template.as_json()}})
    after = 0
    while pages := _pages(task, host, _AT_ONCE, after):
        attempt.check()
        records = [(page, task.records_of(readings, template)) for page, readings in pages]
        with attempt.step() as tx:
            page_store.lock_run(tx, task.run_id)
            for page, made in records:
                results.rewrite(tx, task.run_id, page.id, page.n, made)
        after = pages[-1][0].n


def _template(attempt: Attempt, task: ReadingTask, host: str) -> Template | None:
    """Returns what the host's first pages teach, beside its examples."""
    if task.plan is None:
        return None
    pages = _pages(task, host, MOST_LEARNT_FROM, 0)
    attempt.check()
    # Of one page at several addresses everything is the same, which tells nothing of its template.
    by_content = {page.content_hash or page.id: readings for page, readings in pages}
    template, example = learn(task.plan, list(by_content.values())), task.examples.get(host)
    if template is None or example is None:
        return template
    return Template.from_json(example).joined(template)


def _pages(
    task: ReadingTask, host: str, most: int, after: int
) -> list[tuple[WithReadings, Readings]]:
    with db.reading() as reader:
        pages = page_store.with_readings(reader, task.run_id, host, most, after)
    return [(page, Readings.from_json(results.unpacked(page.readings))) for page in pages]
