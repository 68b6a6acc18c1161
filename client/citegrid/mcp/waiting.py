"""Waiting for a search inside one call, with progress for whoever listens."""

import time
from typing import Final

import anyio

from citegrid.client import AsyncClient
from citegrid.errors import CitegridError
from citegrid.mcp.shapes import Call
from citegrid.nouns.search_results import Search

POLL_SECONDS: Final = 5.0
"""One long poll, and so the longest silence between two notes."""
PAUSE_SECONDS: Final = 1.0
GRACE_SECONDS: Final = 2.0
"""A poll that does not come back by then is given up: hosts end the call after 60 s."""
LEAST_RISE: Final = 0.01
MOST_PERCENT: Final = 99.0
MOST_NOTE_CHARACTERS: Final = 200


async def waited(call: Call, client: AsyncClient, search: Search, seconds: float) -> Search:
    """The search when it is finished, or after `seconds` as it is then.

    A poll that fails ends the waiting: what was known before is returned, with the id.
    """
    notes = _Notes(call)
    await notes.report(search)
    until = time.monotonic() + seconds
    with anyio.move_on_after(seconds + GRACE_SECONDS):
        while not search.finished and (left := until - time.monotonic()) > 0:
            try:
                search = await _polled(client, search.id, min(left, POLL_SECONDS))
            except CitegridError:
                return search
            await notes.report(search)
    return search


async def _polled(client: AsyncClient, id: str, seconds: float) -> Search:
    asked_at = time.monotonic()
    search = await client.searches.get(id, wait=round(seconds, 3))
    pause = min(seconds, PAUSE_SECONDS)
    if not search.finished and time.monotonic() - asked_at < pause:
        await anyio.sleep(pause)  # the server has no room for one more who waits
    return search


class _Notes:
    """The protocol wants each value to be above the one before."""

    def __init__(self, call: Call) -> None:
        self._call, self._last, self._began = call, 0.0, time.monotonic()

    async def report(self, search: Search) -> None:
        percent = min(float(search.progress.percent), MOST_PERCENT)
        self._last = max(percent, self._last + LEAST_RISE)
        passed = time.monotonic() - self._began
        note = (
            f"{search.id}: {search.status}, {search.progress.stage}, "
            f"{search.progress.sources_found} sources, {passed:.0f} s"
        )
        await self._call.report_progress(self._last, 100, note[:MOST_NOTE_CHARACTERS])
