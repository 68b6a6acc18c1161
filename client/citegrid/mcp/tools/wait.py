"""Waiting for a search or a job inside one call, with progress for whoever listens."""

import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, Protocol, TypeVar

import anyio

from citegrid.client import AsyncClient
from citegrid.counts import counted
from citegrid.errors import CitegridError
from citegrid.mcp.shapes import Call
from citegrid.nouns.records.job_results import Job
from citegrid.nouns.search.search_results import Search

POLL_SECONDS: Final = 5.0
"""One long poll, and so the longest silence between two notes."""
PAUSE_SECONDS: Final = 1.0
GRACE_SECONDS: Final = 2.0
"""A poll that does not come back by then is given up: hosts end the call after 60 s."""
LEAST_RISE: Final = 0.01
MOST_PERCENT: Final = 99.0
MOST_NOTE_CHARACTERS: Final = 200


class _Progress(Protocol):
    @property
    def percent(self) -> int: ...


class _Pollable(Protocol):
    """The common part of a search and a job."""

    @property
    def id(self) -> str: ...
    @property
    def finished(self) -> bool: ...
    @property
    def progress(self) -> _Progress: ...


T = TypeVar("T", bound=_Pollable)
Get = Callable[..., Coroutine[Any, Any, T]]


async def waited(call: Call, client: AsyncClient, search: Search, seconds: float) -> Search:
    """The search when it is finished, or after `seconds` as it is then.

    A poll that fails ends the waiting: what was known before is returned, with the id.
    """
    return await _waited(call, client.searches.get, search, _of_search, seconds)


async def job_waited(call: Call, client: AsyncClient, job: Job, seconds: float) -> Job:
    """The same for a job."""
    return await _waited(call, client.jobs.get, job, _of_job, seconds)


def _of_search(search: Search) -> str:
    progress = search.progress
    sources = counted(progress.sources_found, "source")
    return f"{search.id}: {search.status}, {progress.stage}, {sources}"


def _of_job(job: Job) -> str:
    progress = job.progress
    pages = f"{progress.pages_done:,} of {counted(progress.pages_found, 'page')}"
    records = counted(progress.records, "record")
    return f"{job.id}: {job.status}, {progress.stage}, {pages}, {records}"


async def _waited(
    call: Call, get: Get[T], watched: T, said: Callable[[T], str], seconds: float
) -> T:
    notes = _ProgressNotes(call)
    await notes.report(watched, said(watched))
    until = time.monotonic() + seconds
    with anyio.move_on_after(seconds + GRACE_SECONDS):
        while not watched.finished and (left := until - time.monotonic()) > 0:
            try:
                watched = await _polled(get, watched.id, min(left, POLL_SECONDS))
            except CitegridError:
                return watched
            await notes.report(watched, said(watched))
    return watched


async def _polled(get: Get[T], id: str, seconds: float) -> T:
    asked_at = time.monotonic()
    watched = await get(id, wait=round(seconds, 3))
    pause = min(seconds, PAUSE_SECONDS)
    if not watched.finished and time.monotonic() - asked_at < pause:
        await anyio.sleep(pause)  # the server has no room for one more who waits
    return watched


class _ProgressNotes:
    """The protocol wants each value to be above the one before."""

    def __init__(self, call: Call) -> None:
        self._call, self._last, self._began = call, 0.0, time.monotonic()

    async def report(self, watched: _Pollable, text: str) -> None:
        percent = min(float(watched.progress.percent), MOST_PERCENT)
        self._last = max(percent, self._last + LEAST_RISE)
        passed = time.monotonic() - self._began
        note = f"{text}, {passed:.0f} s"
        await self._call.report_progress(self._last, 100, note[:MOST_NOTE_CHARACTERS])
