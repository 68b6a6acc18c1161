"""Work: what a node is given to do, and what it says of it."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Final, Unpack

from citegrid.calls import UNSET, Call, Unset, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject
from citegrid.transport.exchange import Reply

NO_CONTENT: Final = 204


class WorkItem(ApiObject):
    """A piece of work. Send its `fence` with every call about it."""

    id: str
    kind: str
    fence: int
    lease_until: datetime
    deadline_at: datetime
    input: Mapping[str, Any] = field(repr=False)  # it may hold a prompt


class WorkClaim(ApiObject):
    """Work to do; if there is none, `retry_after` says when to claim again."""

    work: tuple[WorkItem, ...]

    @property
    def retry_after(self) -> float:
        """Seconds until it makes sense to claim again."""
        return getattr(self, "_retry_after", 0.0)


class WorkExtension(ApiObject):
    """The time that the node has for it; `cancelled`: its result is not needed."""

    cancelled: bool
    lease_until: datetime | None
    deadline_at: datetime


class WorkSubmission(ApiObject):
    """An accepted result; `answer` depends on the kind of work."""

    id: str
    answer: Mapping[str, Any]


class ChunksTaken(ApiObject):
    """`stop`: the rest of this answer is not needed."""

    stop: bool


def _taken(reply: Reply) -> ChunksTaken:
    return ChunksTaken(False) if reply.status == NO_CONTENT else json_of(ChunksTaken)(reply)


def _claimed(reply: Reply) -> WorkClaim:
    if reply.status == NO_CONTENT:
        claimed = WorkClaim(())
        seconds = reply.headers.get("retry-after", "0")
        object.__setattr__(claimed, "_retry_after", float(seconds) if seconds.isdigit() else 0.0)
        return claimed
    return json_of(WorkClaim)(reply)


class ContributedRecord(ApiObject):
    """A record that a node found; rejected or unresolved, it can be appealed."""

    id: str
    state: str
    reasons: tuple[Mapping[str, str], ...]
    duplicate_of: str | None
    decided_at: datetime | None


class Turn(ApiObject):
    """A work item of a node and its outcome."""

    id: str
    kind: str
    state: str
    reason: str | None
    claimed_at: datetime
    ended_at: datetime | None
    records: tuple[ContributedRecord, ...] = ()


class Work(Noun[M]):
    """`client.work` (preview)"""

    @operation("GET", "/v1/nodes/{node_id}/work", Access.KEY)
    def list(self, node_id: str, **page: Unpack[PageOptions]) -> Call[Page[Turn]]:
        """Preview. One page of what your node was given, newest first; `limit` is 1 to 200."""
        return Call(page_of("work", Turn))

    @operation("POST", "/v1/nodes/{node_id}/work/claim", Access.NODE, repeatable=True)
    def claim(
        self,
        node_id: str,
        key: str,
        kinds: Sequence[str],
        *,
        most: int = 1,
        wait: float | None = None,
    ) -> Call[WorkClaim]:
        """Preview. Work to do, leased for 10 seconds: extend it at once.

        `key` is new for each claim, and the same one again when an answer was lost.
        """
        return Call(
            _claimed,
            query={"wait": wait},
            body={"key": key, "kinds": tuple(kinds), "most": most},
            held_seconds=wait or 0.0,
        )

    @operation("POST", "/v1/work/{work_id}/extend", Access.NODE, repeatable=True)
    def extend(self, work_id: str, fence: int) -> Call[WorkExtension]:
        """Preview. Renew the lease for 60 seconds from now, at most to the deadline."""
        return Call(json_of(WorkExtension))

    @operation("POST", "/v1/work/{work_id}/result", Access.NODE, repeatable=True)
    def submit(self, work_id: str, fence: int, output: Mapping[str, Any]) -> Call[WorkSubmission]:
        """Preview. The result; sent again it gets the first answer again."""
        return Call(json_of(WorkSubmission))

    @operation("POST", "/v1/work/{work_id}/chunks", Access.NODE, repeatable=True)
    def push_chunks(
        self,
        work_id: str,
        fence: int,
        seq: int,
        data: Sequence[Mapping[str, Any]],
        done: bool,
        *,
        usage: Mapping[str, int] | Unset = UNSET,
        error: Mapping[str, str] | Unset = UNSET,
    ) -> Call[ChunksTaken]:
        """Preview. The next batch of a chat's answer; an empty one every 5 s while it is silent.

        `data` are chunks as the model's engine said them, `seq` counts batches from 0. A batch
        that was there before changes nothing.
        """
        return Call(_taken)

    @operation("POST", "/v1/work/{work_id}/decline", Access.NODE, repeatable=True)
    def decline(self, work_id: str, fence: int, reason: str) -> Call[None]:
        """Preview. Give work back; `reason` is cannot, overloaded, content or other."""
        return Call(nothing)
