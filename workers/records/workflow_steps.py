"""Slices of the steps of a workflow: items are read, searched for, filtered, let through."""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any, Final

from app.core import db
from app.core.db import Tx
from app.core.errors import AppError
from app.domains.queue.jobs.service import Finish, describe
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.workflows import item_store, step_store, steps, transitions
from app.domains.records.workflows import service as workflows
from app.domains.records.workflows.item_store import PLACES, Item, Output
from app.domains.records.workflows.step_store import Step
from app.domains.records.workflows.transitions import LANE_ITEMS, STEP
from workers.queue.attempt import Attempt, handles
from workers.records.lanes.slices import SLICE_SECONDS, run_lane
from workers.records.runs.search_source import addresses
from workers.records.runs.validation import agreement_of

ITEMS_AT_ONCE: Final = 500


@handles(STEP)
def work(attempt: Attempt) -> Finish:
    """A slice of a step; what follows is decided by the workflow, which waits for it."""
    run_id = attempt.job.parent_id
    if run_id is None:
        return lambda _tx: None
    with attempt.step() as tx:
        step = workflows.begin_slice(tx, run_id, attempt.payload["step"])
        job = transitions.job_of(tx, run_id)
    if step is None:
        return lambda _tx: None
    if attempt.payload["lane"]:
        return _search_lane(attempt, job, step)
    if step.type == "extraction":
        return _gather(attempt, job, step)
    requested = transitions.options(job, step)["with"]
    return _transform(attempt, step, _TRANSFORMS[step.type](requested))


Keep = Callable[[Tx, Step, workflows.Portion], Step]


def _transform(attempt: Attempt, step: Step, keep: Keep) -> Finish:
    """Read items and write what becomes of them: a portion, and more for as long as a slice may."""
    until = time.monotonic() + SLICE_SECONDS
    while not step.complete:
        with db.reading() as reader:
            portion = workflows.inputs(reader, step, step.reading, ITEMS_AT_ONCE)
        with attempt.step() as tx:
            step = keep(tx, step, portion)
        attempt.notify()
        if time.monotonic() > until:
            break
    return lambda _tx: None


def _filter(requested: dict[str, Any]) -> Keep:
    def keep(tx: Tx, step: Step, portion: workflows.Portion) -> Step:
        kept = [item for item in portion.items if steps.stays(requested, item.data)]
        return workflows.keep_slice(tx, step, portion, kept)

    return keep


def _dedupe(requested: dict[str, Any]) -> Keep:
    def keep(tx: Tx, step: Step, portion: workflows.Portion) -> Step:
        keyed = [replace(item, key=steps.key(requested["by"], item.data)) for item in portion.items]
        return workflows.keep_slice(tx, step, portion, keyed)

    return keep


def _validate(requested: dict[str, Any]) -> Keep:
    """All items stay; those that were read a second time say how far the two agree."""

    def keep(tx: Tx, step: Step, portion: workflows.Portion) -> Step:
        step = workflows.keep_slice(tx, step, portion, portion.items)
        if step.complete:
            samples = workflows.samples_among(tx, step)
            step_store.judge(tx, step, agreement_of(samples, requested["rate"]))
        return step

    return keep


def _queries(requested: dict[str, Any]) -> Keep:
    """Returns what a search fans out to: a query for each item that has the values for it."""

    def keep(tx: Tx, step: Step, portion: workflows.Portion) -> Step:
        filled = (steps.query(requested["query"], item.data) for item in portion.items)
        return workflows.keep_queries(tx, step, portion, [query for query in filled if query])

    return keep


_TRANSFORMS: Final[dict[str, Callable[[dict[str, Any]], Keep]]] = {
    "filter": _filter,
    "dedupe": _dedupe,
    "validate": _validate,
    "search": _queries,
}


def _gather(attempt: Attempt, job: PageJob, step: Step) -> Finish:
    """The addresses that an extraction reads, from the items of the steps it needs, if any."""
    pointer, most = transitions.options(job, step)["with"]["url"], job.body["max_pages"]
    found: dict[str, None] = {}
    read, reading = 0, step.reading
    while step.needs:  # without any it has a source
        with db.reading() as reader:
            portion = workflows.inputs(reader, step, reading, ITEMS_AT_ONCE)
        for item in portion.items:
            found.update(dict.fromkeys(steps.addresses(item.data, pointer)))
        read, reading = read + len(portion.items), portion.reading
        if reading is None or len(found) >= most:
            break
        attempt.check()
    return lambda tx: workflows.gathered(tx, job, step, read, list(found)[:most])


def _search_lane(attempt: Attempt, job: PageJob, step: Step) -> Finish:
    most = transitions.options(job, step)["with"]["most"]

    def search(
        items: Sequence[Item],
    ) -> Generator[tuple[Item, workflows.ItemOutcome]]:
        for item in items:
            yield item, _search(attempt, item, most)

    return run_lane(
        attempt,
        lambda tx, part_id, most: item_store.take(
            tx, step.run_id, step.step, part_id, min(most, LANE_ITEMS)
        ),
        search,
        lambda tx, found: workflows.keep_items(tx, job, step, found),
        lambda tx, _left: item_store.hand_over(tx, attempt.id),
        key=lambda item: str(item.n),
    )


def _search(attempt: Attempt, item: Item, most: int) -> workflows.ItemOutcome:
    """An engine that fails is why this item failed, not its step."""
    try:
        hits = addresses(attempt.settings, item.data["query"], most, attempt.check)
    except AppError as error:
        return workflows.ItemOutcome(item, error=describe(error))
    return workflows.ItemOutcome(
        item, [_output(item, place, hit) for place, hit in enumerate(hits)]
    )


def _output(item: Item, place: int, hit: Any) -> Output:
    """Each address once, whichever query leads to it."""
    data = {"url": hit.url, "title": hit.title, "snippet": hit.snippet, **item.data}
    n = item.n * PLACES + place
    return Output(n, hit.url, data, key=steps.digest(hit.url))
