"""Workflows: jobs whose steps need one another. How they go on is in `transitions`.

Steps are rows. A step that works on items reads them in slices and remembers how far it is in the
transaction that writes what it returns: whatever dies, the next slice goes on from there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import AppError
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.service import describe, enqueue, until_done
from app.domains.records.page_jobs.kinds import DEADLINE_SECONDS
from app.domains.records.page_jobs.runs import page_store, record_store, run_store
from app.domains.records.page_jobs.runs.record_store import RecordSample
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import begin_run, end_run, job_ended
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.workflows import graph, item_store, step_store, transitions
from app.domains.records.workflows.item_store import Item, Output
from app.domains.records.workflows.step_store import Step
from app.domains.records.workflows.transitions import job_of, options

RUN: Final = kinds.register(
    "workflows.run",
    queue="extraction",
    deadline_seconds=DEADLINE_SECONDS,
    priority=40,
    on_part=transitions.on_part,
    on_end=job_ended,
)
JOIN: Final = kinds.register(
    "workflows.join",
    queue="extraction",
    deadline_seconds=DEADLINE_SECONDS,
    priority=40,
    on_end=until_done,
)


class WorkflowFailed(AppError):
    """No final step of this workflow completed. See `steps` for the reasons."""

    code = "workflow_failed"


def begin(tx: Tx, job: PageJob) -> None:
    """In the transaction that makes the job: its one run."""
    begin_run(tx, job.id, job.account_id, kind=RUN)


def run_ended(tx: Tx, job: PageJob, run: JobRun) -> None:
    """Skips what has not ended; of a run that could not finish, what there is is joined."""
    because = {"cancelled": "the job was cancelled", "deadline": "the deadline had passed"}
    step_store.skip_rest(tx, run.id, because.get(run.stop_reason or "", "the job has ended"))
    if "steps" not in run.stats:
        enqueue(tx, JOIN, job.account_id, {"job_id": str(job.id), "run_id": str(run.id)})


def presented(reader: Reader, run_id: UUID) -> list[dict[str, Any]]:
    return [_presented(reader, step) for step in step_store.of_run(reader, run_id)]


def _presented(reader: Reader, step: Step) -> dict[str, Any]:
    run = None if step.job_id is None else run_store.by_id(reader, step.job_id)
    counts = {"found": run.found, "done": run.done, "failed": run.failed} if run else None
    items = (run.found, run.records) if run else (step.items_in, step.items_out)
    return {
        "id": step.step,
        "type": step.type,
        "needs": step.needs,
        "state": step.state,
        "because": step.because,
        "items_in": items[0],
        "items_out": items[1],
        "tries": step.tries,
        "pages": counts,
        "error": step.error,
        "started_at": step.started_at,
        "completed_at": step.ended_at,
    }


def begin_slice(tx: Tx, run_id: UUID, name: str) -> Step | None:
    """The step of a slice; None when it has ended."""
    step = step_store.by_name(tx, run_id, name)
    if step is None or step.ended:
        return None
    step_store.begin(tx, step)
    return step


# What a step works on: the items that the steps it needs return.


@dataclass(frozen=True, slots=True)
class Portion:
    """Some items, and where to go on; None at the end."""

    items: list[Output]
    reading: dict[str, int] | None


def inputs(reader: Reader, step: Step, reading: Mapping[str, int] | None, most: int) -> Portion:
    place, after = (reading["need"], reading["after"]) if reading else (0, 0)
    needs = {each.step: each for each in step_store.of_run(reader, step.run_id)}
    items = outputs(reader, needs[step.needs[place]], after, most)
    if len(items) == most:
        return Portion(items, {"need": place, "after": items[-1].n})
    if place + 1 < len(step.needs):
        return Portion(items, {"need": place + 1, "after": 0})
    return Portion(items, None)


def outputs(reader: Reader, step: Step, after: int, most: int) -> list[Output]:
    """Returns the outputs of a step, in order: of an extraction, the records of its run so far."""
    if step.type != "extraction":
        return item_store.after(reader, step.run_id, step.step, after, most)
    if step.job_id is None:
        return []
    return [
        Output(value.position, value.url, value.data, value.id)
        for value in record_store.values_after(reader, step.job_id, after, most)
    ]


def keep_slice(tx: Tx, step: Step, portion: Portion, kept: Sequence[Output]) -> Step:
    """Write what a step returns for a portion, and how far it is."""
    numbered = [
        Output(step.items_in + place, item.url, item.data, item.record_id, item.key)
        for place, item in enumerate(kept, start=1)
    ]
    written = item_store.put(tx, step.run_id, step.step, numbered)
    return _went_on(tx, step, portion, written)


def keep_queries(tx: Tx, step: Step, portion: Portion, queries: Sequence[str]) -> Step:
    """Keeps the queries that a search step fans out to, for a portion of its items."""
    items = [{"query": query} for query in queries]
    item_store.add(tx, step.run_id, step.step, step.items_in + 1, items)
    return _went_on(tx, step, portion, 0)


def _went_on(tx: Tx, step: Step, portion: Portion, written: int) -> Step:
    step_store.went_on(
        tx,
        step,
        portion.reading,
        read=len(portion.items),
        written=written,
        complete=portion.reading is None,
    )
    gone_on = step_store.by_name(tx, step.run_id, step.step)
    return step if gone_on is None else gone_on


def gathered(tx: Tx, job: PageJob, step: Step, read: int, addresses: Sequence[str]) -> None:
    """The pages of an extraction are known: its job begins, unless there are none."""
    step_store.went_on(tx, step, None, read=read, written=0, complete=True)
    if not step.needs:
        transitions.extract(tx, job, step, options(job, step)["with"]["source"])
    elif addresses:
        source = {"type": "urls", "urls": list(addresses[:1_000])}
        transitions.extract(tx, job, step, source, addresses)


def samples_among(reader: Reader, step: Step) -> list[RecordSample]:
    """Returns the results of a second reading of records that a step returns."""
    steps = job_of(reader, step.run_id).body["steps"]
    before = graph.upstream(steps, step.step)
    runs = [each.job_id for each in step_store.of_run(reader, step.run_id) if each.step in before]
    samples = [each for run_id in runs if run_id for each in record_store.samples(reader, run_id)]
    ids = [sample.record_id for sample in samples]
    among = item_store.returned_records(reader, step.run_id, step.step, ids)
    return [sample for sample in samples if sample.record_id in among]


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    item: Item
    outputs: Sequence[Output] = ()
    error: dict[str, Any] | None = None


def keep_items(tx: Tx, job: PageJob, step: Step, found: Sequence[ItemOutcome]) -> None:
    """Write what items of a step came to. Done twice, it is done once."""
    retry = options(job, step)["retry"]
    written = 0
    for each in found:
        if each.error is not None:
            item_store.fail(tx, step.run_id, step.step, each.item.n, each.error, retry=retry)
        elif item_store.done(tx, step.run_id, step.step, each.item.n):
            written += item_store.put(tx, step.run_id, step.step, each.outputs)
    step_store.count_items(tx, step, written)


# The end of a run.


def last_steps(job: PageJob, all_steps: Sequence[Step]) -> list[Step]:
    names = set(graph.last(job.body["steps"]))
    return [step for step in all_steps if step.step in names]


def finish(tx: Tx, run_id: UUID, *, records: int, late: bool) -> None:
    """End a run with what its last steps return; it has failed when none of them was done."""
    job, all_steps = job_of(tx, run_id), step_store.of_run(tx, run_id)
    done = [step for step in last_steps(job, all_steps) if step.state == "done"]
    validations = [step.validation for step in all_steps if step.validation]
    run_store.count(tx, run_id, records=records)
    end_run(
        tx,
        run_id,
        "deadline" if late else "done" if done else "error",
        stats={"steps": _tally(all_steps), "outcomes": _outcomes(tx, all_steps)},
        validation=validations[-1] if validations else None,
        error=None if late or done else describe(WorkflowFailed()),
    )


def _outcomes(reader: Reader, all_steps: Sequence[Step]) -> Counter[str]:
    runs = [step.job_id for step in all_steps if step.job_id is not None]
    return sum((Counter(page_store.outcomes(reader, run)) for run in runs), Counter())


def _tally(all_steps: Sequence[Step]) -> dict[str, int]:
    states = [step.state for step in all_steps]
    return {state: states.count(state) for state in ("done", "failed", "skipped")}
