"""Measurements of offers: a row an offer and minute for two days, and a day for a month."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

from app.core.db import Reader, Tx, run
from app.engine.judging.histogram import BUCKETS


class Minute(NamedTuple):
    """Of one offer; the lists count in buckets."""

    offer_id: UUID
    minute: datetime
    requests: int
    failed: int
    aborted: int
    first_token_ms: list[int]
    tokens_per_second: list[int]
    tokens: int


KEPT_DAYS: Final = 30


def _add(table: str, time: str, value: str) -> str:
    """Arrays are added up element by element. An offer that is gone meanwhile is left out."""
    return f"""
    insert into {table} as kept (offer_id, {time}, requests, failed, aborted, first_token_ms,
                                 tokens_per_second, tokens)
    select id, {value}, %(requests)s, %(failed)s, %(aborted)s, %(first_token_ms)s::int[],
           %(tokens_per_second)s::int[], %(tokens)s
    from provider_offers where id = %(offer_id)s
    on conflict (offer_id, {time}) do update
    set requests = kept.requests + excluded.requests,
        failed = kept.failed + excluded.failed,
        aborted = kept.aborted + excluded.aborted,
        first_token_ms = array(
            select a + b from unnest(kept.first_token_ms, excluded.first_token_ms)
                with ordinality as both_of (a, b, at) order by at),
        tokens_per_second = array(
            select a + b from unnest(kept.tokens_per_second, excluded.tokens_per_second)
                with ordinality as both_of (a, b, at) order by at),
        tokens = kept.tokens + excluded.tokens
    """  # noqa: S608 (made of constants)


ADD = _add("offer_minutes", "minute", "%(minute)s")
ADD_TO_DAY = _add("offer_days", "day", "(%(minute)s::timestamptz at time zone 'utc')::date")


def add(tx: Tx, minutes: Sequence[Minute]) -> None:
    """In one order, so that two processes never wait for each other."""
    rows = [minute._asdict() for minute in sorted(minutes)]
    with tx.cursor() as cursor:
        cursor.executemany(ADD, rows)
        cursor.executemany(ADD_TO_DAY, rows)


class Total(NamedTuple):
    """Of some minutes or days; the lists count in buckets."""

    requests: int
    failed: int
    first_token_ms: Sequence[int]
    tokens_per_second: Sequence[int]
    tokens: int


NOTHING: Final = Total(0, 0, (0,) * BUCKETS, (0,) * BUCKETS, 0)


def _buckets(column: str) -> str:
    return ", ".join(f"sum({column}[{at}])" for at in range(1, BUCKETS + 1))


# A page has 200 offers of 30 days, of 40 buckets each: added up where they are, they need not be
# sent, and 200 rows are read instead of 6,000.
_TOTAL = f"""
    sum(requests)::bigint, sum(failed)::bigint,
    array[{_buckets("first_token_ms")}]::bigint[], array[{_buckets("tokens_per_second")}]::bigint[],
    sum(tokens)::bigint
    """
_LAST_MINUTES = """
    from offer_minutes
    where offer_id = any(%(offers)s) and minute > now() - make_interval(secs => %(seconds)s)
    """
_LAST_DAYS = f"""
    from offer_days
    where offer_id = any(%(offers)s) and day > (now() at time zone 'utc')::date - {KEPT_DAYS}
    """
OF_MINUTES = f"select offer_id, {_TOTAL} {_LAST_MINUTES} group by offer_id"
OF_DAYS = f"select offer_id, {_TOTAL} {_LAST_DAYS} group by offer_id"
BY_DAY = f"select day, {_TOTAL} {_LAST_DAYS} group by day order by day"


def of_minutes(reader: Reader, offers: Sequence[UUID], seconds: float) -> dict[UUID, Total]:
    """The totals of the last seconds by offer; offers without a chat have none."""
    return _totals(reader, OF_MINUTES, offers=list(offers), seconds=seconds)


def of_days(reader: Reader, offers: Sequence[UUID]) -> dict[UUID, Total]:
    """The totals of the last 30 days, today included, by offer; offers without a chat have none."""
    return _totals(reader, OF_DAYS, offers=list(offers))


def by_day(reader: Reader, offers: Sequence[UUID]) -> dict[date, Total]:
    """The totals of all these offers together, day by day; days without a chat have none."""
    return _totals(reader, BY_DAY, offers=list(offers))


def _totals(reader: Reader, sql: LiteralString, **params: Any) -> dict[Any, Total]:
    # In text, arrays take several times as long to read.
    rows = reader.execute(sql, params, binary=True).fetchall()
    return {of: Total(*columns) for of, *columns in rows}


FORGET = """
    with old as (
        select offer_id, minute from offer_minutes where minute < now() - interval '2 days'
        order by minute limit %(most)s
    )
    delete from offer_minutes kept using old
    where (kept.offer_id, kept.minute) = (old.offer_id, old.minute)
    """


def forget(tx: Tx, most: int) -> int:
    """Delete minutes past two days; returns how many."""
    return run(tx, FORGET, most=most)


FORGET_DAYS = f"""
    with old as (
        select offer_id, day from offer_days
        where day < (now() at time zone 'utc')::date - {KEPT_DAYS}
        order by day limit %(most)s
    )
    delete from offer_days kept using old
    where (kept.offer_id, kept.day) = (old.offer_id, old.day)
    """  # noqa: S608 (made of constants)


def forget_days(tx: Tx, most: int) -> int:
    """Delete days past a month; returns how many."""
    return run(tx, FORGET_DAYS, most=most)
