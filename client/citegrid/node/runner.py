"""The node at work: it says that it is here, asks for work, and does several things at once."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any, Final, Protocol

import anyio

from citegrid.errors import ApiError, CitegridError, NotFound, Unauthenticated
from citegrid.node.journal import Journal
from citegrid.node.leases import kept
from citegrid.node.node_client import NodeClient
from citegrid.node.pace import Pace
from citegrid.nouns.providers.nodes import Heartbeat
from citegrid.nouns.providers.work import WorkClaim, WorkItem

WAIT_SECONDS: Final = 25
MOST_CLAIMED: Final = 8


class WorkRefusal(Exception):
    """The work goes back: `cannot`, `overloaded`, `content` or `other`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class WorkOutcome:
    """The outcome of a piece of work; `summary` names no content."""

    output: Mapping[str, Any]
    summary: str


Perform = Callable[[WorkItem], Awaitable[WorkOutcome]]
"""Makes the output of a piece of work. Raises WorkRefusal."""


class Relay(Protocol):
    """Answers a chat in batches of its own; says how it went, without content."""

    async def answer(self, item: WorkItem) -> str: ...

    async def serving(self) -> Sequence[str]: ...


@dataclass(slots=True)
class WorkCounts:
    done: int = 0
    declined: int = 0
    lost: int = 0
    failed: int = 0


class NodeProcess:
    """One process of a node, from its first heartbeat to its last."""

    def __init__(
        self,
        node_id: str,
        polling: NodeClient,
        steady: NodeClient,
        kinds: Mapping[str, Perform],
        relay: Relay | None,
        *,
        capacity: int,
        journal: Journal,
        pace: Pace,
    ) -> None:
        """`polling` tries once and leaves trying again to us; `steady` tries by itself."""
        self._id, self._polling, self._steady = node_id, polling, steady
        self._work, self._relay = kinds, relay
        self._kinds = [*kinds, *(["chats.completion"] if relay else [])]
        self._capacity, self._journal, self._pace = capacity, journal, pace
        self._in_flight: dict[str, WorkItem] = {}
        self._changed, self._resumed = anyio.Event(), anyio.Event()
        self._claims = anyio.CancelScope()
        self._counts = WorkCounts()
        self._state = "starting"
        self.refused: CitegridError | None = None

    async def run(self, leave: anyio.Event) -> None:
        """Work until told to leave; then finish what is held, and claim nothing more.

        `refused` says why the server does not want this node, if that is how it ended.
        """
        async with anyio.create_task_group() as everything:
            async with anyio.create_task_group() as work:
                everything.start_soon(self._beating, everything)
                everything.start_soon(self._leaving, leave)
                with self._claims:
                    await self._claiming(work)
            everything.cancel_scope.cancel()
        if self.refused is None:
            await self._last_beat()

    async def _leaving(self, leave: anyio.Event) -> None:
        await leave.wait()
        self._journal.note(f"leaving: {len(self._in_flight)} to finish, nothing new is claimed")
        self._state = "leaving"
        self._claims.cancel()

    # Heartbeats

    async def _beating(self, everything: Any) -> None:
        failures = 0
        while True:
            try:
                beat = await self._beat()
            except (Unauthenticated, NotFound) as error:
                self.refused = error
                everything.cancel_scope.cancel()
                return
            except CitegridError as error:
                failures += 1
                pause = self._pace.after_failure(failures, _retry_after(error))
                self._heard_nothing(error, pause)
            else:
                failures = 0
                self._heard(beat)
                pause = self._pace.about(beat.next_seconds)
            await anyio.sleep(pause)

    async def _beat(self) -> Heartbeat:
        # Without chats it says so: the server may know of models from an earlier start.
        serving = await self._relay.serving() if self._relay else ()
        return await self._polling.nodes.heartbeat(self._id, len(self._in_flight), serving=serving)

    async def _last_beat(self) -> None:
        """So that the server knows at once that nothing is in flight or served any more."""
        with anyio.move_on_after(3), suppress(CitegridError):
            await self._polling.nodes.heartbeat(self._id, 0, serving=())

    def _heard(self, beat: Heartbeat) -> None:
        paused = beat.paused_reason is not None
        state = "paused" if paused else "in maintenance" if beat.maintenance else "working"
        if state != self._state and self._state != "leaving":
            until = f" until {_clock(beat.paused_until)}" if beat.paused_until else ""
            why = f": {beat.paused_reason}" if paused else ""
            self._journal.note(f"{state}{until}{why}")
            self._state = state
            if state == "working":
                self._resumed.set()
                self._resumed = anyio.Event()
        self._show()

    def _heard_nothing(self, error: CitegridError, pause: float) -> None:
        self._journal.note(f"the server does not answer ({_named(error)}); again in {pause:.0f} s")
        self._state = "unreachable" if self._state != "leaving" else self._state
        self._show()

    # Claims

    async def _claiming(self, work: Any) -> None:
        key, failures = token_hex(16), 0
        while True:
            free, resumed = await self._room(), self._resumed
            try:
                claimed = await self._claim(key, free)
            except CitegridError as error:
                failures += 1
                if not _again(error):  # what was lost on its way comes again with the same key
                    key = token_hex(16)
                pause = self._pace.after_failure(failures, _retry_after(error))
                self._journal.note(f"no work is claimed ({_named(error)}); again in {pause:.0f} s")
                await anyio.sleep(pause)
                continue
            key, failures = token_hex(16), 0
            for item in claimed.work:
                self._in_flight[item.id] = item
                work.start_soon(self._perform, item)
            if not claimed.work and claimed.retry_after:
                with anyio.move_on_after(self._pace.about(claimed.retry_after)):
                    await resumed.wait()

    async def _claim(self, key: str, free: int) -> WorkClaim:
        most = min(free, MOST_CLAIMED)
        return await self._polling.work.claim(
            self._id, key, self._kinds, most=most, wait=WAIT_SECONDS
        )

    async def _room(self) -> int:
        """Returns how much more can be done at once, when it is something."""
        while len(self._in_flight) >= self._capacity:
            await self._changed.wait()
        return self._capacity - len(self._in_flight)

    # Work

    async def _perform(self, item: WorkItem) -> None:
        began = time.monotonic()
        self._show()
        try:
            outcome = await self._outcome(item)
        except WorkRefusal as refusal:
            outcome = await self._decline(item, refusal.reason)
        except CitegridError as error:
            outcome = await self._failed(item, error)
        except Exception as error:  # noqa: BLE001 -- one bad input must not end the node
            self._counts.failed += 1
            self._journal.note(f"{item.id}: {type(error).__name__} in {_where(error)}")
            outcome = await self._decline(item, "other")
        finally:
            self._in_flight.pop(item.id, None)
            self._changed.set()
            self._changed = anyio.Event()
        spent = time.monotonic() - began
        self._journal.note(f"{item.id} {item.kind}: {outcome} in {spent:.1f} s")
        self._show()

    async def _outcome(self, item: WorkItem) -> str:
        if self._relay is not None and item.kind == "chats.completion":
            said = await self._relay.answer(item)
            self._counts.done += 1
            return said
        perform = self._work.get(item.kind)
        if perform is None:
            raise WorkRefusal("cannot")
        done: WorkOutcome | None = None
        async with kept(self._steady, item, self._pace) as lease:
            done = await perform(item)
            await self._steady.work.submit(item.id, item.fence, done.output)
        if done is None or lease.lost:
            self._counts.lost += 1
            return f"given up ({lease.lost})"
        self._counts.done += 1
        return done.summary

    async def _failed(self, item: WorkItem, error: CitegridError) -> str:
        if isinstance(error, ApiError) and error.status in (404, 409):
            self._counts.lost += 1
            return f"too late ({error.code})"
        self._counts.failed += 1
        if isinstance(error, ApiError) and not error.retryable:  # ours is no good: let others try
            return f"refused ({error.code}), {await self._decline(item, 'other')}"
        return f"not taken ({_named(error)})"

    async def _decline(self, item: WorkItem, reason: str) -> str:
        self._counts.declined += 1
        with suppress(CitegridError):
            await self._steady.work.decline(item.id, item.fence, reason)
        return f"declined ({reason})"

    def _show(self) -> None:
        counts = self._counts
        self._journal.status(
            f"{self._id} {self._state} · {len(self._in_flight)} of {self._capacity} at work · "
            f"{counts.done} done · {counts.declined} declined · {counts.lost} lost"
        )


def _retry_after(error: CitegridError) -> float | None:
    return error.retry_after if isinstance(error, ApiError) else None


def _again(error: CitegridError) -> bool:
    return not isinstance(error, ApiError) or error.retryable


def _named(error: CitegridError) -> str:
    return error.code if isinstance(error, ApiError) else type(error).__name__


def _clock(moment: datetime) -> str:
    return moment.astimezone().strftime("%H:%M")


def _where(error: BaseException) -> str:
    """The place in the code, without its text: exceptions may repeat what they were given."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else "?"
