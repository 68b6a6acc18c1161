"""The nodes table, as owners and the operator see it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, send, value, values
from app.domains.account.accounts.store import lock_account
from app.domains.providers.providers.offer_store import LONGEST_SILENCE_SECONDS


@dataclass(frozen=True, slots=True)
class Node:
    """`pause` and `paused_until` say why and until when it is paused now; `suspension` is its
    account's. Without an end a pause lasts until the operator ends it."""

    id: UUID
    account_id: UUID
    name: str
    work: list[str]
    options: dict[str, Any]
    max_bytes: int
    capacity: int
    maintenance: bool
    admitted_at: datetime | None
    pause: str | None
    paused_until: datetime | None
    suspension: str | None
    declining: bool
    former_until: datetime | None
    seen_at: datetime | None
    silent: bool
    created_at: datetime

    @property
    def paused_reason(self) -> str | None:
        """Why it gets no work, in one word; None: it gets some."""
        if self.suspension is not None:
            return "suspended"
        if self.admitted_at is None:
            return "awaiting_approval"
        return self.pause

    @property
    def idle(self) -> bool:
        """True if it is given nothing, for whatever reason."""
        return self.maintenance or self.paused_reason is not None


PAUSED = "(nodes.paused_reason is not null and coalesce(nodes.paused_until > now(), true))"

COLUMNS = f"""
    select nodes.id, nodes.account_id, nodes.name, nodes.work, nodes.options, nodes.max_bytes,
           nodes.capacity, nodes.maintenance, nodes.admitted_at,
           case when {PAUSED} then nodes.paused_reason end as pause,
           case when {PAUSED} then nodes.paused_until end as paused_until,
           node_suspensions.reason as suspension,
           coalesce(nodes.declining_until > now(), false) as declining,
           case when nodes.former_until > now() then nodes.former_until end as former_until,
           nodes.seen_at,
           coalesce(nodes.seen_at <= now() - interval '{LONGEST_SILENCE_SECONDS} seconds', true)
               as silent,
           nodes.created_at
    from nodes left join node_suspensions on node_suspensions.account_id = nodes.account_id
    """  # noqa: S608 (made of constants)

COUNT = "select count(*) from nodes where account_id = %(account_id)s"


def count(tx: Tx, account_id: UUID) -> int:
    """Counts the nodes of the account; none is added meanwhile."""
    lock_account(tx, account_id)
    return int(value(tx, COUNT, account_id=account_id))


INSERT = """
    insert into nodes (id, account_id, name, work, options, max_bytes, capacity, admitted_at,
                       token_digest)
    values (%(id)s, %(account_id)s, %(name)s, %(work)s, %(options)s, %(max_bytes)s, %(capacity)s,
            case when %(admitted)s then now() end, %(digest)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    send(tx, INSERT, **columns)


OF_ANYBODY = COLUMNS + "where nodes.id = %(id)s"
BY_ID = OF_ANYBODY + " and nodes.account_id = %(account_id)s"


def by_id(reader: Reader, id: UUID, account_id: UUID) -> Node | None:
    return first(reader, Node, BY_ID, id=id, account_id=account_id)


def of_anybody(reader: Reader, id: UUID) -> Node | None:
    return first(reader, Node, OF_ANYBODY, id=id)


LOCK = "select id from nodes where id = %(id)s and account_id = %(account_id)s for no key update"


def lock(tx: Tx, id: UUID, account_id: UUID) -> bool:
    return value(tx, LOCK, id=id, account_id=account_id) is not None


PAGE = COLUMNS + "where nodes.account_id = %(account_id)s"


def page(reader: Reader, account_id: UUID, before: UUID | None, most: int) -> list[Node]:
    return lists.newest(reader, Node, PAGE, before, most, id="nodes.id", account_id=account_id)


CHANGE = """
    update nodes
    set name = %(name)s, work = %(work)s, options = %(options)s, max_bytes = %(max_bytes)s,
        capacity = %(capacity)s, maintenance = %(maintenance)s
    where id = %(id)s
    """


def change(tx: Tx, id: UUID, **columns: Any) -> None:
    send(tx, CHANGE, id=id, **columns)


DELETE = "delete from nodes where id = %(id)s"


def delete(tx: Tx, id: UUID) -> None:
    send(tx, DELETE, id=id)


ROLL = """
    update nodes
    set former_digest = token_digest, token_digest = %(digest)s,
        former_until = now() + make_interval(hours => %(overlap_hours)s)
    where id = %(id)s
    """


def roll(tx: Tx, id: UUID, digest: bytes, overlap_hours: int) -> None:
    send(tx, ROLL, id=id, digest=digest, overlap_hours=overlap_hours)


# Hardly more often than others could tell: being heard of is a write.
HEARD = """
    update nodes set seen_at = now(), network = coalesce(%(network)s, network)
    where id = %(id)s
      and (%(always)s or coalesce(seen_at < now() - interval '10 seconds', true))
    returning capacity, seen_at
    """


def heard(tx: Tx, id: UUID, network: str | None, *, always: bool) -> tuple[int, datetime] | None:
    """Its capacity, and now, when that was written; None when it was heard of just before."""
    return tx.execute(HEARD, {"id": id, "network": network, "always": always}).fetchone()


SEEN = f"""
    select distinct account_id from nodes
    where seen_at > now() - make_interval(secs => %(seconds)s) and work @> array[%(capability)s]
      and admitted_at is not null and not maintenance and not {PAUSED}
      and not exists (select from node_suspensions where account_id = nodes.account_id)
    """  # noqa: S608 (made of constants)


def seen_accounts(reader: Reader, capability: str, seconds: float) -> list[UUID]:
    """Accounts with a node of this capability that was heard of lately and may be given work."""
    return values(reader, SEEN, capability=capability, seconds=seconds)


ABLE = """
    select distinct account_id from nodes
    where work @> array[%(capability)s] and admitted_at is not null
      and (%(after)s::uuid is null or account_id > %(after)s)
    order by account_id limit %(most)s
    """


def accounts_able(reader: Reader, capability: str, most: int, after: UUID | None) -> list[UUID]:
    """Accounts with an admitted node of this capability, the oldest first."""
    return values(reader, ABLE, capability=capability, most=most, after=after)


NEIGHBOURS = """
    select distinct other.account_id from nodes join nodes other using (network)
    where nodes.account_id = %(account_id)s and other.account_id <> %(account_id)s
    """


def neighbours(reader: Reader, account_id: UUID) -> list[UUID]:
    """Other accounts with a node in a network in which this one has a node."""
    return values(reader, NEIGHBOURS, account_id=account_id)


ALL = COLUMNS + "where true"


def of_everybody(reader: Reader, before: UUID | None, most: int) -> list[Node]:
    """Newest first, whoever owns them."""
    return lists.newest(reader, Node, ALL, before, most, id="nodes.id")


WAITING = COLUMNS + "where nodes.admitted_at is null order by nodes.id limit %(most)s"


def waiting(reader: Reader, most: int) -> list[Node]:
    """Nodes that nobody has approved, those first that have waited longest."""
    return many(reader, Node, WAITING, most=most)


AWAITING = "select count(*) from nodes where admitted_at is null"


def awaiting_approval(reader: Reader) -> int:
    return int(value(reader, AWAITING))


@dataclass(frozen=True, slots=True)
class Credential:
    """`left_seconds` is the time until the token expires; None: never."""

    id: UUID
    account_id: UUID
    left_seconds: float | None
    disabled: bool


BY_DIGEST = """
    select nodes.id, nodes.account_id,
           case when nodes.token_digest = any(%(digests)s) then null
                else extract(epoch from nodes.former_until - now())::float end as left_seconds,
           accounts.disabled_at is not null or accounts.erase_at is not null as disabled
    from nodes join accounts on accounts.id = nodes.account_id
    where nodes.token_digest = any(%(digests)s) or nodes.former_digest = any(%(digests)s)
    """


def by_digest(reader: Reader, digests: list[bytes]) -> Credential | None:
    return first(reader, Credential, BY_DIGEST, digests=digests)
