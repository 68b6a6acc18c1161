"""The table of reviews. Its row is locked before any other of a record's judging is touched."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Tx, first, many, run, values
from app.engine.judging.quorum import VoteTally


@dataclass(frozen=True, slots=True)
class Review:
    record_id: UUID
    version: int
    payer_id: UUID
    contributor_id: UUID | None
    k: int
    round: int
    former: str | None
    own_check: dict[str, Any] | None
    doubted: bool
    accepts: int
    rejects: int
    state: str
    reasons: list[dict[str, str]]
    validated_by: list[dict[str, Any]]
    assignments: list[UUID]
    payer_verdict: bool | None
    overlooked_by: UUID | None
    opened_at: datetime
    moved_at: datetime
    first_vote_at: datetime | None
    deadline_at: datetime
    decided_at: datetime | None
    now: datetime
    """The database's clock when this was read."""

    @property
    def key(self) -> tuple[UUID, int]:
        return self.record_id, self.version

    @property
    def tally(self) -> VoteTally:
        return VoteTally(self.accepts, self.rejects)


INSERT = """
    insert into reviews (record_id, version, payer_id, contributor_id, overlooked_by, k, state,
                         deadline_at)
    values (%(record_id)s, %(version)s, %(payer_id)s, %(contributor_id)s, %(overlooked_by)s, %(k)s,
            'open', %(deadline_at)s)
    on conflict do nothing
    """


def insert(tx: Tx, **columns: Any) -> bool:
    """False: the record is judged already."""
    return run(tx, INSERT, **columns) == 1


_COLUMNS: LiteralString = """
    select record_id, version, payer_id, contributor_id, k, round, former, own_check, doubted,
           accepts, rejects, state, reasons, validated_by, seats as assignments, payer_verdict,
           overlooked_by, opened_at, moved_at, first_vote_at, deadline_at, decided_at,
           clock_timestamp() as now
    from reviews
    """

LOCK: LiteralString = (
    _COLUMNS + "where record_id = %(record_id)s and version = %(version)s for no key update"
)


def lock(tx: Tx, record_id: UUID, version: int) -> Review | None:
    """The review, which nobody else moves until the transaction ends."""
    return first(tx, Review, LOCK, record_id=record_id, version=version)


CHECKED = """
    update reviews set own_check = %(own_check)s, doubted = %(doubted)s
    where record_id = %(record_id)s and version = %(version)s and state = 'open'
    """


def set_own_check(tx: Tx, review: Review, own_check: dict[str, Any], *, doubted: bool) -> bool:
    touched = run(
        tx,
        CHECKED,
        record_id=review.record_id,
        version=review.version,
        own_check=own_check,
        doubted=doubted,
    )
    return touched == 1


VOTED = """
    update reviews
    set accepts = accepts + %(accepts)s, rejects = rejects + %(rejects)s,
        first_vote_at = coalesce(first_vote_at, now()), moved_at = now(),
        seats = array_remove(seats, %(work_id)s)
    where record_id = %(record_id)s and version = %(version)s
    """


def count_vote(tx: Tx, review: Review, work_id: UUID, *, accepts: int, rejects: int) -> None:
    """An answered assignment is open no more; a vote that counts is added."""
    run(
        tx,
        VOTED,
        record_id=review.record_id,
        version=review.version,
        work_id=work_id,
        accepts=accepts,
        rejects=rejects,
    )


COUNT = """
    update reviews set accepts = %(accepts)s, rejects = %(rejects)s
    where record_id = %(record_id)s and version = %(version)s
    """


def count(tx: Tx, review: Review, *, accepts: int, rejects: int) -> None:
    run(
        tx,
        COUNT,
        record_id=review.record_id,
        version=review.version,
        accepts=accepts,
        rejects=rejects,
    )


ASSIGNED = """
    update reviews set seats = seats || %(assignments)s::uuid[], moved_at = now()
    where record_id = %(record_id)s and version = %(version)s
    """


def add_assignments(tx: Tx, review: Review, assignments: Sequence[UUID]) -> None:
    record_id, version = review.key
    run(tx, ASSIGNED, record_id=record_id, version=version, assignments=list(assignments))


UNANSWERED = """
    update reviews set seats = array_remove(seats, %(work_id)s)
    where record_id = %(record_id)s and version = %(version)s
    """


def remove_assignment(tx: Tx, record_id: UUID, version: int, work_id: UUID) -> None:
    run(tx, UNANSWERED, record_id=record_id, version=version, work_id=work_id)


DECIDE = """
    update reviews
    set state = %(state)s, decided_at = now(), seats = '{}', reasons = %(reasons)s,
        validated_by = %(validated_by)s,
        gold_at = case when payer_verdict is not null then gold_at end
    where record_id = %(record_id)s and version = %(version)s and state = 'open'
    """


def decide(
    tx: Tx,
    review: Review,
    state: str,
    reasons: list[dict[str, str]],
    validated_by: list[dict[str, Any]],
) -> bool:
    touched = run(
        tx,
        DECIDE,
        record_id=review.record_id,
        version=review.version,
        state=state,
        reasons=Jsonb(reasons),
        validated_by=Jsonb(validated_by),
    )
    return touched == 1


JUDGED_BY_PAYER = """
    update reviews set payer_verdict = %(accepts)s, gold_at = now()
    where record_id = %(record_id)s and version = %(version)s and payer_verdict is null
      and state in ('open', 'unresolved') and round = 0
    """


def judged_by_payer(tx: Tx, review: Review, accepts: bool) -> bool:
    """Keeps what the payer says of a record. False: it is decided, or was judged before."""
    touched = run(
        tx, JUDGED_BY_PAYER, record_id=review.record_id, version=review.version, accepts=accepts
    )
    return touched == 1


OVERTURN = """
    update reviews set state = %(state)s, gold_at = null
    where record_id = %(record_id)s and version = %(version)s and state <> 'open'
    """


def overturn(tx: Tx, review: Review, state: str) -> None:
    """An operator decides a dispute for which no assignments were opened."""
    run(tx, OVERTURN, record_id=review.record_id, version=review.version, state=state)


REOPEN = """
    update reviews
    set state = 'open', former = %(former)s, round = round + 1, k = %(k)s, accepts = 0, rejects = 0,
        seats = '{}', opened_at = now(), moved_at = now(), first_vote_at = null,
        decided_at = null,
        deadline_at = now() + make_interval(secs => %(seconds)s)
    where record_id = %(record_id)s and version = %(version)s and state <> 'open'
    """


def reopen(tx: Tx, record_id: UUID, version: int, k: int, former: str, seconds: float) -> bool:
    """Begin another round. False: there is nothing decided to dispute."""
    wanted = {"record_id": record_id, "version": version, "k": k, "former": former}
    return run(tx, REOPEN, **wanted, seconds=seconds) == 1


OPEN_SINCE = """
    select record_id, version, opened_at from reviews
    where state = 'open' and opened_at <= now() - make_interval(secs => %(seconds)s)
      and (opened_at, record_id, version) > (%(opened_at)s, %(record_id)s, %(version)s)
    order by opened_at, record_id, version limit %(most)s
    """


class WaitingReview(NamedTuple):
    record_id: UUID
    version: int
    opened_at: datetime


OLDEST: Final = WaitingReview(UUID(int=0), 0, datetime(1970, 1, 1, tzinfo=UTC))


def open_since(
    reader: Reader, seconds: float, after: WaitingReview, most: int
) -> list[WaitingReview]:
    """The reviews that have been open for so long, oldest first, from behind one of them."""
    rows = reader.execute(OPEN_SINCE, {"seconds": seconds, "most": most, **after._asdict()})
    return [WaitingReview(*row) for row in rows.fetchall()]


WITHOUT_GOLD: LiteralString = (
    _COLUMNS
    + """where gold_at is null and state in ('accepted', 'rejected')
      and decided_at <= now() - make_interval(secs => %(seconds)s)
    order by decided_at limit %(most)s"""
)


def without_gold(reader: Reader, seconds: float, most: int = 50) -> list[Review]:
    """Decided so long ago, and nothing was made of them yet."""
    return many(reader, Review, WITHOUT_GOLD, seconds=seconds, most=most)


GILDED = """
    update reviews set gold_at = now()
    where record_id = %(record_id)s and version = %(version)s and gold_at is null
      and state <> 'open'
    """


def set_gold(tx: Tx, review: Review) -> bool:
    """False: somebody made gold of it meanwhile, or it was reopened."""
    return run(tx, GILDED, record_id=review.record_id, version=review.version) == 1


# The pool of a run is shared by its votes, soon after its deadline.
EXPIRE = """
    delete from reviews where (record_id, version) in (
        select record_id, version from reviews
        where decided_at < now() - make_interval(secs => %(days)s * 86400.0)
          and deadline_at < now() - interval '1 day'
        order by decided_at limit %(most)s)
    returning record_id
    """


def expire(tx: Tx, most: int, *, kept_days: float) -> int:
    """Delete judgings that were decided so long ago, and whose runs are over."""
    return len(values(tx, EXPIRE, days=kept_days, most=most))
