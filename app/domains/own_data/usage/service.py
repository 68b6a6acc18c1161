"""Usage of an account: what it did and spent, by day, API key or kind; from the tables that keep
it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.config.settings import Settings
from app.core.db import Reader
from app.core.ids import Noun
from app.core.redis.limits import RatePolicy
from app.domains.library.documents import corpus_store
from app.domains.library.documents.corpus_store import Holding
from app.domains.library.documents.service import Quota
from app.domains.own_data.usage import store
from app.domains.own_data.usage.store import OfKey
from app.domains.queue.jobs.kinds import queues

KINDS: Final = ("requests", "searches", "extractions", "pages", "chats", "campaigns")
COUNTED: Final = KINDS[:-1]
"""Campaigns only spend: their runs and records have pages of their own."""
OF_KEYS: Final = ("requests", "searches", "extractions", "chats")


@dataclass(frozen=True, slots=True)
class PeriodLine:
    """The usage of one day, key or kind; `key` is set for a key."""

    name: str
    counts: Mapping[str, int]
    spent: Mapping[str, Decimal]
    """By token."""
    key: OfKey | None = None


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Lines of a period, both of its days included, in UTC."""

    first_day: date
    last_day: date
    lines: list[PeriodLine]
    total: PeriodLine


@dataclass(slots=True)
class _Sum:
    counts: Counter[str] = field(default_factory=Counter)
    spent: defaultdict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))

    def line(self, name: str, kinds: Iterable[str]) -> PeriodLine:
        spent = {token: amount for token, amount in sorted(self.spent.items()) if amount}
        return PeriodLine(name, {kind: self.counts[kind] for kind in kinds}, spent)


def by_day(reader: Reader, account_id: UUID, days: int, settings: Settings) -> UsageReport:
    """A line for each day, the oldest first, those without anything too."""
    first, last = _period(min(days, settings.retention_days))
    sums: defaultdict[date, _Sum] = defaultdict(_Sum)
    for day, kind, number in _work(reader, account_id, first):
        sums[day].counts[kind] += number
    for row in store.spent(reader, account_id, _first_id(first), first):
        sums[row.day].spent[row.token] += row.amount
    each = (first + timedelta(n) for n in range((last - first).days + 1))
    lines = [sums[day].line(day.isoformat(), COUNTED) for day in each]
    return UsageReport(first, last, lines, _total(lines, COUNTED))


def _period(days: float) -> tuple[date, date]:
    """So many days, today as the last; at least today."""
    today = datetime.now(UTC).date()
    return today - timedelta(days=max(1, int(days)) - 1), today


def _first_id(day: date) -> UUID:
    return ids.first_of(datetime.combine(day, time(), UTC))


def _work(reader: Reader, account_id: UUID, first: date) -> Iterable[tuple[date, str, int]]:
    for row in store.work(reader, account_id, _first_id(first), first):
        yield max(row.day, first), row.kind, row.number


def _total(lines: Iterable[PeriodLine], kinds: Iterable[str]) -> PeriodLine:
    total = _Sum()
    for line in lines:
        total.counts.update(line.counts)
        for token, amount in line.spent.items():
            total.spent[token] += amount
    return total.line("total", kinds)


def by_kind(reader: Reader, account_id: UUID, days: int, settings: Settings) -> UsageReport:
    """A line for each kind; with its own number alone."""
    first, last = _period(min(days, settings.retention_days))
    sums: defaultdict[str, _Sum] = defaultdict(_Sum)
    for _, kind, number in _work(reader, account_id, first):
        sums[kind].counts[kind] += number
    for row in store.spent(reader, account_id, _first_id(first), first):
        sums[row.why].spent[row.token] += row.amount
    lines = [sums[kind].line(kind, {kind} & set(COUNTED)) for kind in KINDS]
    return UsageReport(first, last, lines, _total(lines, COUNTED))


def by_key(reader: Reader, account_id: UUID, days: int, settings: Settings) -> UsageReport:
    """A line for each API key that was used, the busiest first, and one for who signed in.

    Only of the days for which requests are kept: they know what was done with which key.
    """
    first, last = _period(min(days, settings.requests_kept_days, settings.retention_days))
    costs = {row.id: row.amount for row in store.spent_by_key(reader, account_id, _first_id(first))}
    lines = [
        PeriodLine(
            "signed_in" if row.id is None else ids.public(Noun.API_KEY, row.id),
            {kind: getattr(row, kind) for kind in OF_KEYS},
            {settings.credit_token: costs[row.id]} if row.id in costs else {},
            row if row.id is not None else None,
        )
        for row in store.by_key(reader, account_id, first)
    ]
    return UsageReport(first, last, lines, _total(lines, OF_KEYS))


@dataclass(frozen=True, slots=True)
class AccountLimits:
    """The limits of an account on this server, and how near it is to them."""

    read: RatePolicy
    write: RatePolicy
    waiting_jobs: int
    most_waiting_jobs: int
    holding: Holding
    quota: Quota


def limits(reader: Reader, account_id: UUID, settings: Settings) -> AccountLimits:
    """Rates are those of each API key and sign-in, jobs those of each queue."""
    return AccountLimits(
        RatePolicy.parse("read", settings.rate_limit_read),
        RatePolicy.parse("write", settings.rate_limit_write),
        store.waiting(reader, account_id, queues()),
        settings.account_queue_limit,
        corpus_store.holding(reader, account_id),
        Quota.of(settings),
    )
