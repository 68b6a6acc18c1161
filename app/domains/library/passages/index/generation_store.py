"""The lexical_generations table: which index serves, and which is being built.

A change of a generation's state waits for those who are writing, and they for it: it holds the
lock of the namespace alone that every writer shares. So whoever writes knows all the generations
the passages of a later statement are read into. Readers wait for nobody.
"""

from dataclasses import dataclass
from uuid import UUID

from app.core.db import Reader, Tx, first, one, run, value, values

NAMESPACE = "corpora"
"""What the operator indexes is one namespace: scores compare across corpora."""
OF_ACCOUNTS = "account:"  # how the namespace of an account begins


def namespace_of(account_id: UUID | None) -> str:
    """The namespace of what an account uploaded; of None, of what the operator indexed.

    Each account has its own, so that no statistics of one depend on what another has.
    """
    return NAMESPACE if account_id is None else f"{OF_ACCOUNTS}{account_id}"


_WRITING = int.from_bytes(b"lexi", "big")  # the first of the lock's two numbers

SHARE = "select pg_advisory_xact_lock_shared(%(key)s, hashtext(%(ns)s))"

ALONE = "select pg_advisory_xact_lock(%(key)s, hashtext(%(ns)s))"


def share(tx: Tx, ns: str) -> None:
    """Write beside others; until the transaction ends no generation begins or is switched."""
    run(tx, SHARE, key=_WRITING, ns=ns)


def alone(tx: Tx, ns: str) -> None:
    """Wait for current writers, and let none begin until the transaction ends."""
    run(tx, ALONE, key=_WRITING, ns=ns)


FIRST = """
    insert into lexical_generations (ns, analysis, state)
    values (%(ns)s, %(analysis)s, 'serving') on conflict do nothing
    """

CURRENT = """
    select id from lexical_generations where ns = %(ns)s and state <> 'left' order by state desc
    """


def current(tx: Tx, ns: str, analysis: int) -> list[int]:
    """The generations to write to, the serving one first; it is made if there is none."""
    found = values(tx, CURRENT, ns=ns)
    if not found:
        run(tx, FIRST, ns=ns, analysis=analysis)
        found = values(tx, CURRENT, ns=ns)
    return list(found)


STALE = """
    select ns from lexical_generations
    where state = 'serving' and analysis <> %(analysis)s and starts_with(ns, %(prefix)s)
    order by ns limit 1
    """


def stale(reader: Reader, analysis: int, prefix: str) -> str | None:
    """A namespace that begins with `prefix` and serves what another analysis made."""
    found: str | None = value(reader, STALE, analysis=analysis, prefix=prefix)
    return found


@dataclass(frozen=True, slots=True)
class UnfinishedGeneration:
    """A generation that is not complete; passages up to id `position` are in it."""

    id: int
    analysis: int
    position: int


BUILDING = """
    select id, analysis, position from lexical_generations
    where ns = %(ns)s and state = 'building'
    """

BEGIN = """
    insert into lexical_generations (ns, analysis, state)
    values (%(ns)s, %(analysis)s, 'building')
    returning id, analysis, position
    """


def building(tx: Tx, ns: str) -> UnfinishedGeneration | None:
    return first(tx, UnfinishedGeneration, BUILDING, ns=ns)


def begin(tx: Tx, ns: str, analysis: int) -> UnfinishedGeneration:
    return one(tx, UnfinishedGeneration, BEGIN, ns=ns, analysis=analysis)


ADVANCE = """
    update lexical_generations set position = %(to)s
    where id = %(id)s and state = 'building' and position = %(position)s
    """


def advance(tx: Tx, id: int, position: int, to: int) -> bool:
    """Move a building generation's position on; False when it is not there any more."""
    return run(tx, ADVANCE, id=id, position=position, to=to) == 1


LEAVE_SERVING = """
    update lexical_generations set state = 'left' where ns = %(ns)s and state = 'serving'
    """

SERVE = """
    update lexical_generations set state = 'serving'
    where id = %(id)s and state = 'building' and position = %(position)s
    """

LEAVE = "update lexical_generations set state = 'left' where id = %(id)s"

LEAVE_BUILDING = "update lexical_generations set state = 'left' where state = 'building'"


def leave_serving(tx: Tx, ns: str) -> None:
    run(tx, LEAVE_SERVING, ns=ns)


def serve(tx: Tx, id: int, position: int) -> bool:
    return run(tx, SERVE, id=id, position=position) == 1


def leave(tx: Tx, id: int) -> None:
    run(tx, LEAVE, id=id)


def leave_building(tx: Tx) -> None:
    run(tx, LEAVE_BUILDING)


LEAVE_ALL = """
    update lexical_generations set state = 'left' where ns = %(ns)s and state <> 'left'
    """


def leave_all(tx: Tx, ns: str) -> int:
    """Leave the generations of a namespace that nobody needs any more; how many."""
    return run(tx, LEAVE_ALL, ns=ns)


LEFT = "select id from lexical_generations where state = 'left' order by id limit 1"

# ctid: a step takes some rows, whichever come first.
FORGET = """
    with entries as (
        delete from lexical_passages where ctid = any(array(
            select ctid from lexical_passages where generation = %(id)s limit %(most)s))
        returning 1
    ), fresh as (
        delete from lexical_fresh where ctid = any(array(
            select ctid from lexical_fresh where generation = %(id)s limit %(most)s))
        returning 1
    ), blocks as (
        delete from lexical_blocks where ctid = any(array(
            select ctid from lexical_blocks where generation = %(id)s limit %(most)s))
        returning 1
    ), dead as (
        delete from lexical_dead where generation = %(id)s returning 1
    ), counts as (
        delete from lexical_counts where generation = %(id)s returning 1
    )
    select (select count(*) from entries) + (select count(*) from fresh)
         + (select count(*) from blocks) + (select count(*) from dead)
         + (select count(*) from counts)
    """

FORGET_ROW = "delete from lexical_generations where id = %(id)s"


def forget_some(tx: Tx, most: int) -> bool:
    """Delete rows of a generation that was left, at most `most` of a table; False without one."""
    id = value(tx, LEFT)
    if id is None:
        return False
    if not value(tx, FORGET, id=id, most=most):
        run(tx, FORGET_ROW, id=id)
    return True
