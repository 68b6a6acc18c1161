"""The work_turns table: which node had an item when, and what became of that."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, send, value, values


@dataclass(frozen=True, slots=True)
class WorkTurn:
    work_id: UUID
    fence: int
    node_id: UUID
    account_id: UUID
    claim_key: str
    outcome: str | None
    output_digest: bytes | None
    answer: dict[str, Any] | None


_TURN = """
    select work_id, fence, node_id, account_id, claim_key, outcome, output_digest, answer
    from work_turns
    """

STANDING = (
    _TURN
    + "where node_id = %(node_id)s and ended_at is null union all ("
    + _TURN
    + "where node_id = %(node_id)s and claim_key = %(key)s and ended_at is not null limit 1)"
)


def standing(reader: Reader, node_id: UUID, key: str) -> list[WorkTurn]:
    """The items that a node has now, and one turn that has ended with this key."""
    return many(reader, WorkTurn, STANDING, node_id=node_id, key=key)


COUNT_HELD = """
    select node_id, count(*) from work_turns
    where node_id = any(%(nodes)s) and ended_at is null
    group by node_id
    """


def count_held(reader: Reader, nodes: Sequence[UUID]) -> dict[UUID, int]:
    """Counts the items that these nodes have now; those without any are left out."""
    return dict(reader.execute(COUNT_HELD, {"nodes": list(nodes)}).fetchall())


TURN = _TURN + "where work_id = %(work_id)s and fence = %(fence)s and node_id = %(node_id)s"


def turn(reader: Reader, work_id: UUID, fence: int, node_id: UUID) -> WorkTurn | None:
    return first(reader, WorkTurn, TURN, work_id=work_id, fence=fence, node_id=node_id)


HAD = """
    select true from work_turns where work_id = %(work_id)s and node_id = %(node_id)s limit 1
    """


def had(reader: Reader, work_id: UUID, node_id: UUID) -> bool:
    return bool(value(reader, HAD, work_id=work_id, node_id=node_id))


OPEN_TURN = _TURN + "where work_id = %(work_id)s and ended_at is null"


def open_turn(reader: Reader, work_id: UUID) -> WorkTurn | None:
    return first(reader, WorkTurn, OPEN_TURN, work_id=work_id)


OPEN_TURNS_OF = _TURN + "where account_id = %(account_id)s and ended_at is null"


def open_turns_of(reader: Reader, account_id: UUID) -> list[WorkTurn]:
    return many(reader, WorkTurn, OPEN_TURNS_OF, account_id=account_id)


END_TURN = """
    update work_turns
    set ended_at = now(), outcome = %(outcome)s, reason = %(reason)s, output_digest = %(digest)s,
        answer = %(answer)s
    where work_id = %(work_id)s and ended_at is null
    """


def end_turn(
    tx: Tx,
    work_id: UUID,
    outcome: str,
    *,
    reason: str | None = None,
    digest: bytes | None = None,
    answer: dict[str, Any] | None = None,
) -> None:
    """Of whoever has the item now; nobody's changes nothing."""
    send(
        tx, END_TURN, work_id=work_id, outcome=outcome, reason=reason, digest=digest, answer=answer
    )


RECENT = """
    select outcome from work_turns
    where node_id = %(node_id)s and claimed_at >= %(since)s
      and ended_at > now() - make_interval(secs => %(within)s)
      and outcome in ('done', 'declined', 'lost', 'failed')
    order by ended_at desc limit %(most)s
    """


def recent_outcomes(
    reader: Reader, node_id: UUID, since: datetime, most: int, within_seconds: float
) -> list[str]:
    return values(reader, RECENT, node_id=node_id, since=since, most=most, within=within_seconds)


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """The last turn of a node with an item, as the owner of the node sees it."""

    id: UUID
    kind: str
    subject: UUID
    state: str
    reason: str | None
    claimed_at: datetime
    ended_at: datetime | None


TURNS = """
    select distinct on (work_turns.work_id) work_turns.work_id as id, work.kind, work.subject,
           coalesce(work_turns.outcome, 'working') as state, work_turns.reason,
           work_turns.claimed_at, work_turns.ended_at
    from work_turns join work on work.id = work_turns.work_id
    where work_turns.node_id = %(node_id)s
    """
TURN_FILTERS: Final[lists.Filters] = {"before": "work_turns.work_id < %(before)s"}


def turns(reader: Reader, node_id: UUID, before: UUID | None, most: int) -> list[TurnSummary]:
    given = {"node_id": node_id, "before": before}
    order: LiteralString = "work_turns.work_id desc, work_turns.fence desc"
    return lists.page(reader, TurnSummary, TURNS, TURN_FILTERS, order=order, most=most, **given)


OUTCOMES = """
    select outcome, count(*) from (
        select outcome from work_turns where node_id = %(node_id)s and outcome is not null
        order by work_id desc limit %(most)s
    ) as last group by outcome
    """


def outcomes(reader: Reader, node_id: UUID, most: int) -> dict[str, int]:
    return dict(reader.execute(OUTCOMES, {"node_id": node_id, "most": most}).fetchall())
