"""The next steps of a run when a part of it has ended: more lanes, or something to learn."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from app.core.db import Tx
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedPart
from app.domains.queue.jobs.service import enqueue
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.kinds import CONSENSUS, DEADLINE_SECONDS, PAGES, RENDER
from app.domains.records.page_jobs.runs import page_store, page_turn_store, run_store, runs
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.runs.run_store import JobRun

LANES: Final = 4
"""Lanes of one run at once: a worker each, for twenty pages or ten seconds."""
LANE_PAGES: Final = 20
_LANE_HOSTS = 8
_RENDERINGS = 4  # a browser takes seconds for a page, and other runs want it too
_LEARN_AT = (4, 16)
"""So many pages of a host are worth learning from, before its last one."""

READING: Final = "reading"


def on_part(tx: Tx, ended: EndedPart) -> None:
    """`on_part` of the runs that read pages."""
    if ended.kind in (PAGES.name, RENDER.name) and ended.state != "succeeded":
        page_turn_store.give_back(tx, ended.part_id, ended.begun)
    refill(tx, ended.parent_id, ended.account_id, ended.parent_id, ended.parts_open)


def refill(tx: Tx, run_id: UUID, account_id: UUID, parent_id: UUID, parts_open: int = 0) -> int:
    """Open lanes as `open_lanes` does, and promise to learn from hosts that have enough pages; how
    many parts of the run are open then."""
    parts_open = open_lanes(tx, run_id, account_id, parent_id, parts_open)
    run = run_store.by_id(tx, run_id)
    if run is None or run.stage != READING:
        return parts_open
    learning = [
        host
        for host, pages in page_store.read_of_hosts(tx, run_id).items()
        if any(pages >= enough > learnt_from(run.templates, host) for enough in _LEARN_AT)
    ]
    return parts_open + learn(tx, run, account_id, parent_id, learning)


def open_lanes(tx: Tx, run_id: UUID, account_id: UUID, parent_id: UUID, parts_open: int = 0) -> int:
    """Open the lanes that the queued pages are worth; how many parts of the run are open then.

    `parts_open` are those that are open already. Nothing is opened once the run has gone on to
    another stage.
    """
    run = run_store.by_id(tx, run_id)
    job = store.of_anybody(tx, run.job_id) if run else None
    if run is None or job is None or run.stage != READING:
        return parts_open
    most = min(LANES, int(job.body.get("parallel", LANES)))
    lanes = max(0, min(most - parts_open, _lanes_wanted(tx, run)))
    for _ in range(lanes):
        enqueue(tx, PAGES, account_id, {"run_id": str(run_id)}, parent=parent_id)
    return _open_renderings(tx, run, account_id, parent_id, parts_open + lanes)


def _open_renderings(
    tx: Tx, run: JobRun, account_id: UUID, parent_id: UUID, parts_open: int
) -> int:
    """A part for each of the next pages that need a browser; how many parts are open then."""
    waiting = page_turn_store.awaiting_browser(tx, run.id, max(0, LANES + _RENDERINGS - parts_open))
    for page_id in waiting:
        payload = {"run_id": str(run.id)}
        part_id = enqueue(tx, RENDER, account_id, payload, parent=parent_id)
        page_turn_store.give(tx, page_id, part_id)
    return parts_open + len(waiting)


def learn(tx: Tx, run: JobRun, account_id: UUID, parent_id: UUID, hosts: list[str]) -> int:
    """Promise to learn from the pages of each of these hosts; how many parts that makes."""
    pages = page_store.read_of_hosts(tx, run.id)
    for host in hosts:
        known = run.templates.get(host, {})
        run_store.learn(tx, run.id, {host: {**known, "pages": pages[host]}})
        payload = {"run_id": str(run.id), "host": host}
        enqueue(tx, CONSENSUS, account_id, payload, parent=parent_id)
    return len(hosts)


def learnt_from(templates: Mapping[str, Any], host: str) -> int:
    """Returns the number of pages of the host that were there when it was last learnt from."""
    return int(templates.get(host, {}).get("pages", 0))


def _lanes_wanted(tx: Tx, run: JobRun) -> int:
    """A lane for each twenty pages of hosts that need no pause, and one for each other host that
    no lane has in its hands: only one request at a time goes there anyway."""
    queued = page_turn_store.queued_hosts(tx, run.id)
    at_once = sum(pages for host, pages in queued.items() if host in run.unpaced)
    return -(-at_once // LANE_PAGES) + len(_free(tx, run, queued))


def _free(tx: Tx, run: JobRun, queued: Mapping[str, int]) -> list[str]:
    taken = page_turn_store.taken_hosts(tx, run.id)
    return [host for host in queued if host not in run.unpaced and host not in taken]


def take(
    tx: Tx, run_id: UUID, part_id: UUID, most: int, resting: frozenset[str] = frozenset()
) -> list[JobPage]:
    """Give a lane pages: of hosts that need no pause, and of some that no other lane has.

    Hosts that are `resting` for longer than a lane waits are left for later.
    """
    run = run_store.by_id(tx, run_id)
    if run is None or not most:
        return []
    page_store.lock_run(tx, run_id)  # lanes choose their hosts one after another
    queued = page_turn_store.queued_hosts(tx, run_id)
    pages: list[JobPage] = []
    if any(host in run.unpaced for host in queued):
        pages += page_turn_store.take(tx, run_id, part_id, most, run.unpaced)
    free = [host for host in _free(tx, run, queued) if host not in resting]
    chosen = free[: min(_LANE_HOSTS, most - len(pages), -(-len(free) // LANES))]
    for each, host in enumerate(chosen):
        room = (most - len(pages)) // (len(chosen) - each)
        pages += page_turn_store.take(tx, run_id, part_id, room, [host])
    return pages


RUN = kinds.register(
    "extractions.run",
    queue="extraction",
    deadline_seconds=DEADLINE_SECONDS,
    priority=40,
    ids_per_message=1,
    on_part=on_part,
    on_end=runs.job_ended,
)
