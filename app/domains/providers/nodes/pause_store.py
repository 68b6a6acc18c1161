"""Pauses of nodes, suspensions of accounts, and the wait for approval."""

from datetime import datetime
from typing import Final
from uuid import UUID

from app.core.db import Reader, Tx, run, send, value
from app.domains.providers.nodes.store import PAUSED

DECLINING_SECONDS: Final = 600.0


SUSPEND = """
    insert into node_suspensions (account_id, reason) values (%(account_id)s, %(reason)s)
    on conflict do nothing
    """


def suspend(tx: Tx, account_id: UUID, reason: str) -> bool:
    return run(tx, SUSPEND, account_id=account_id, reason=reason) == 1


RESUME = "delete from node_suspensions where account_id = %(account_id)s"


def resume(tx: Tx, account_id: UUID) -> bool:
    return run(tx, RESUME, account_id=account_id) == 1


# Twice as long as the pause before, up to six hours; a day without one, and it begins anew.
PAUSE = f"""
    with row as (
        select id, case when coalesce(paused_until < now() - interval '1 day', true) then 0
                   else pauses end as before
        from nodes where id = %(id)s for no key update
    )
    update nodes
    set paused_reason = %(reason)s, pauses = row.before + 1,
        paused_until = now() + make_interval(secs => least(%(longest)s,
                                                           %(first)s
                                                           * power(2, least(row.before, 30)))),
        counted_since = now()
    from row where nodes.id = row.id and not {PAUSED}
    returning nodes.account_id, nodes.paused_until
    """  # noqa: S608 (made of constants)


def pause(
    tx: Tx, id: UUID, reason: str, first_seconds: float, longest_seconds: float
) -> tuple[UUID, datetime] | None:
    """Its account, and until when; None: it is paused already, or gone."""
    wanted = {"id": id, "reason": reason, "first": first_seconds, "longest": longest_seconds}
    return tx.execute(PAUSE, wanted).fetchone()


STOP = """
    update nodes set paused_reason = %(reason)s, paused_until = null where id = %(id)s
    """


def stop(tx: Tx, id: UUID, reason: str) -> bool:
    """A pause without an end."""
    return run(tx, STOP, id=id, reason=reason) == 1


UNPAUSE = """
    update nodes
    set paused_reason = null, paused_until = null, counted_since = now(),
        unpaused_at = case when %(by_owner)s then now() else unpaused_at end
    where id = %(id)s
      and (not %(by_owner)s or (paused_reason <> %(operators)s
                                and coalesce(unpaused_at < now() - interval '1 day', true)))
    """


def unpause(tx: Tx, id: UUID, *, by_owner: bool, operators: str) -> bool:
    """False: its owner may not, since the operator paused it or they ended one within a day."""
    return run(tx, UNPAUSE, id=id, by_owner=by_owner, operators=operators) == 1


ADMIT = "update nodes set admitted_at = coalesce(admitted_at, now()) where id = %(id)s"


def admit(tx: Tx, id: UUID) -> bool:
    return run(tx, ADMIT, id=id) == 1


SKIP = """
    update nodes set declining_until = now() + make_interval(secs => %(seconds)s)
    where id = %(id)s
    """


def pass_over(tx: Tx, id: UUID) -> None:
    """It declines too much: for ten minutes nothing is drawn for it."""
    send(tx, SKIP, id=id, seconds=DECLINING_SECONDS)


COUNTED_SINCE = "select counted_since from nodes where id = %(id)s"


def counted_since(reader: Reader, id: UUID) -> datetime | None:
    """The time before which everything has led to a pause already; None: there is no such node."""
    since: datetime | None = value(reader, COUNTED_SINCE, id=id)
    return since
