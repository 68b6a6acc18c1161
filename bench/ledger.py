"""Postings a second, beside the same inserts and updates in bare SQL on tables without our rules.

    python -m bench.ledger [--rounds 15] [--quick]

A posting is one transfer between two of 200 accounts, in a transaction of its own. "statements" are
what an application would send by itself: insert the transfer, insert two entries, update two
balances. "one statement" is all of it at once. Both write to copies of the tables with the same
indexes, without triggers, foreign keys or checks of who has enough. Ours is `ledger.post`, and a
hold with its settlement, which are two transfers. In each round all of them take turns, once with
commits that wait for the disk and once without: then what is left is work.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from statistics import median
from typing import Any
from uuid import UUID

import psycopg
from psycopg import Connection

from app.core import db, ids
from app.core.db import Tx, roles
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from bench import figures
from bench.machine import machine

ACCOUNTS = 200
PRICE = Decimal("0.000000001")
STATEMENTS, ONE = "bare, five statements", "bare, one statement"
POST, HOLD = "ledger.post", "ledger.hold + settle, each"
DISK, MEMORY = "waits for the disk", "does not"
LEAST = {DISK: 0.7, MEMORY: 0.35}
"""Of the rate of five bare statements."""

BARE_TABLES = """
    create table bare_accounts (like ledger_accounts including indexes including defaults);
    create table bare_transfers (like ledger_transfers including indexes including defaults);
    create table bare_entries (like ledger_entries including indexes);
    insert into bare_accounts (id, owner, kind, token, balance)
    select id, owner, kind, token, balance from ledger_accounts;
    analyze bare_accounts, ledger_accounts
    """

Post = Callable[[Connection[Any], UUID, UUID], None]


def main() -> None:
    chosen = figures.arguments(__doc__, rounds=15)
    rounds, times = (1, 20) if chosen.quick else (chosen.rounds, 200)
    with machine(chosen.folder) as servers:
        rates = measure(servers.database("ledger"), rounds, times)
        disk = figures.fdatasync_us(servers.home)
    report(rates, disk)


def measure(url: str, rounds: int, times: int) -> dict[tuple[str, str], list[float]]:
    """Postings a second of each kind and each way to commit, a number a round."""
    owners = [ids.new() for _ in range(ACCOUNTS)]
    with psycopg.connect(db.conninfo(url), autocommit=True) as owner:
        _fund(owner, owners)
        owner.execute(BARE_TABLES)
        accounts = owner.execute("select owner, id from bare_accounts").fetchall()
        numbers: dict[UUID, int] = dict(accounts)
        with Tx.connect(db.conninfo(url), autocommit=True) as service:
            roles.take(service, roles.DEFAULT)
            return _rounds(owner, service, owners, numbers, rounds, times)


def _fund(owner: Connection[Any], owners: list[UUID]) -> None:
    lines = [LedgerLine(each, "credit", Decimal(1_000)) for each in owners]
    world = LedgerLine(ledger.WORLD, "world", Decimal(-1_000 * len(owners)))
    ledger.post(owner, "grant:all", "grant", "USD", world, *lines)  # type: ignore[arg-type]


def _rounds(
    owner: Connection[Any],
    service: Tx,
    owners: list[UUID],
    numbers: dict[UUID, int],
    rounds: int,
    times: int,
) -> dict[tuple[str, str], list[float]]:
    ways: dict[str, tuple[Connection[Any], Post]] = {
        STATEMENTS: (owner, lambda c, a, b: _statements(c, numbers[a], numbers[b])),
        ONE: (owner, lambda c, a, b: _one(c, numbers[a], numbers[b])),
        POST: (service, _post),
        HOLD: (service, _hold),
    }
    chance, rates = random.Random(7), defaultdict[tuple[str, str], list[float]](list)
    for turn in range(-1, rounds):  # the first warms up
        for commit, setting in ((DISK, "on"), (MEMORY, "off")):
            names = list(ways)
            chance.shuffle(names)
            for name in names:
                connection, post = ways[name]
                connection.execute(f"set synchronous_commit = {setting}".encode())
                pairs = [chance.sample(owners, 2) for _ in range(times)]
                began = time.perf_counter()
                for giver, taker in pairs:
                    post(connection, giver, taker)
                rate = times * (2 if name == HOLD else 1) / (time.perf_counter() - began)
                if turn >= 0:
                    rates[name, commit].append(rate)
    return rates


TRANSFER = "insert into bare_transfers (id, key, why, token) values (%s, %s, 'bench', 'USD')"
ENTRIES = """
    insert into bare_entries (id, transfer_id, account_id, amount)
    values (%s, %s, %s, %s), (%s, %s, %s, %s)
    """
BALANCE = "update bare_accounts set balance = balance + %s where id = %s"
AT_ONCE = """
    with transfer as (
        insert into bare_transfers (id, key, why, token)
        values (%(id)s, %(key)s, 'bench', 'USD') returning id
    ), entries as (
        insert into bare_entries (id, transfer_id, account_id, amount)
        select line.id, transfer.id, line.account, line.amount
        from transfer, unnest(%(ids)s::uuid[], %(accounts)s::bigint[], %(amounts)s::numeric[])
                       line (id, account, amount)
    )
    update bare_accounts set balance = balance + line.amount
    from unnest(%(accounts)s::bigint[], %(amounts)s::numeric[]) line (account, amount)
    where bare_accounts.id = line.account
    """


def _statements(connection: Connection[Any], giver: int, taker: int) -> None:
    id = ids.new()
    with connection.transaction():
        connection.execute(TRANSFER, [id, f"bench:{id}"])
        connection.execute(ENTRIES, [ids.new(), id, giver, -PRICE, ids.new(), id, taker, PRICE])
        for account, amount in sorted(((giver, -PRICE), (taker, PRICE))):
            connection.execute(BALANCE, [amount, account])


def _one(connection: Connection[Any], giver: int, taker: int) -> None:
    id = ids.new()
    params = {
        "id": id,
        "key": f"bench:{id}",
        "ids": [ids.new(), ids.new()],
        "accounts": [giver, taker],
        "amounts": [-PRICE, PRICE],
    }
    with connection.transaction():
        connection.execute(AT_ONCE, params)


def _post(connection: Any, giver: UUID, taker: UUID) -> None:
    lines = LedgerLine(giver, "credit", -PRICE), LedgerLine(taker, "credit", PRICE)
    with connection.transaction():
        ledger.post(connection, f"bench:{ids.new()}", "bench", "USD", *lines)


def _hold(connection: Any, giver: UUID, taker: UUID) -> None:
    chat, credit = ids.new(), LedgerAccount(giver, "credit")
    with connection.transaction():
        held = LedgerAccount(giver, "held")
        ledger.hold(connection, chat, f"hold:{chat}", "chat", "USD", credit, held, PRICE * 2)
    with connection.transaction():
        paid = LedgerLine(taker, "available", PRICE)
        ledger.settle(connection, chat, f"settle:{chat}", "chat", paid, rest=credit)


def report(rates: dict[tuple[str, str], list[float]], disk: float) -> None:
    names = (STATEMENTS, ONE, POST, HOLD)
    figures.table(
        ["postings a second, one connection", DISK, MEMORY],
        [[name, *(median(rates[name, commit]) for commit in (DISK, MEMORY))] for name in names],
    )
    aims = [
        figures.compared(
            f"{POST}, commit {commit}",
            rates[POST, commit],
            STATEMENTS,
            rates[STATEMENTS, commit],
            "postings/s",
            ">=",
            LEAST[commit],
        )
        for commit in (DISK, MEMORY)
    ]
    facts = {f"{name}, {commit}": values for (name, commit), values in rates.items()}
    figures.conclude("ledger", aims, fdatasync_us=disk, rates=facts)


if __name__ == "__main__":
    main()
