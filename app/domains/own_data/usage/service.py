"""Usage of an account: what it did and spent, by day, API key or kind."""

from calendar import monthrange
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
from app.domains.library.documents.quota import Quota
from app.domains.own_data.usage import store
from app.domains.own_data.usage.store import CreditSpending, DayCount, OfKey
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
class Period:
    """Days in UTC, both included."""

    first: date
    last: date

    @classmethod
    def recent(cls, days: int) -> "Period":
        """So many days, today as the last."""
        today = datetime.now(UTC).date()
        return cls(today - timedelta(days=days - 1), today)

    @classmethod
    def month(cls, day: date) -> "Period":
        """The calendar month of a day, of the current one what has passed."""
        first, last = day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])
        return cls(first, min(last, datetime.now(UTC).date()))

    def kept(self, days: float) -> "Period":
        """The part of it that is kept where so many days are, at least today."""
        return Period(max(self.first, Period.recent(max(1, int(days))).first), self.last)

    def has(self, day: date) -> bool:
        return self.first <= day <= self.last


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


def by_day(reader: Reader, account_id: UUID, period: Period, settings: Settings) -> UsageReport:
    """A line for each day, the oldest first, those without anything too.

    The ledger knows what was spent on any day; days whose work is not kept have no counts.
    """
    kept = period.kept(settings.retention_days)
    sums: defaultdict[date, _Sum] = defaultdict(_Sum)
    for done in _work(reader, account_id, kept):
        sums[done.day].counts[done.kind] += done.number
    for row in _spent(reader, account_id, period):
        sums[row.day].spent[row.token] += row.amount
    each = (period.first + timedelta(n) for n in range((period.last - period.first).days + 1))
    lines = [sums[day].line(day.isoformat(), COUNTED if kept.has(day) else ()) for day in each]
    return UsageReport(period.first, period.last, lines, _total(lines, COUNTED))


def _work(reader: Reader, account_id: UUID, period: Period) -> Iterable[DayCount]:
    done = store.work(reader, account_id, _id_before(period.first), period.first)
    return (row for row in done if period.has(row.day))


def _spent(reader: Reader, account_id: UUID, period: Period) -> Iterable[CreditSpending]:
    spent = store.spent(reader, account_id, _id_before(period.first), period.first)
    return (row for row in spent if period.has(row.day))


def _id_before(day: date) -> UUID:
    """Ids are made by other clocks than times, and a little later or earlier."""
    return _first_id(day - timedelta(1))


def _first_id(day: date) -> UUID:
    return ids.first_of(datetime.combine(day, time(), UTC))


def _total(lines: Iterable[PeriodLine], kinds: Iterable[str]) -> PeriodLine:
    total = _Sum()
    for line in lines:
        total.counts.update(line.counts)
        for token, amount in line.spent.items():
            total.spent[token] += amount
    return total.line("total", kinds)


def by_kind(reader: Reader, account_id: UUID, period: Period, settings: Settings) -> UsageReport:
    """A line for each kind; with its own number alone, as far as work is kept."""
    sums: defaultdict[str, _Sum] = defaultdict(_Sum)
    for done in _work(reader, account_id, period.kept(settings.retention_days)):
        sums[done.kind].counts[done.kind] += done.number
    for row in _spent(reader, account_id, period):
        sums[row.why].spent[row.token] += row.amount
    lines = [sums[kind].line(kind, {kind} & set(COUNTED)) for kind in KINDS]
    return UsageReport(period.first, period.last, lines, _total(lines, COUNTED))


def by_key(reader: Reader, account_id: UUID, period: Period, settings: Settings) -> UsageReport:
    """A line for each API key that was used, the busiest first, and one for who signed in.

    Only of the days for which requests are kept: they know what was done with which key.
    """
    kept = period.kept(min(settings.requests_kept_days, settings.retention_days))
    span = _first_id(kept.first), _first_id(kept.last + timedelta(1))
    spent: defaultdict[UUID | None, dict[str, Decimal]] = defaultdict(dict)
    for cost in store.spent_by_key(reader, account_id, *span):
        spent[cost.id][cost.token] = cost.amount
    lines = [
        PeriodLine(
            "signed_in" if row.id is None else ids.public(Noun.API_KEY, row.id),
            {kind: getattr(row, kind) for kind in OF_KEYS},
            spent[row.id],
            row if row.id is not None else None,
        )
        for row in store.by_key(reader, account_id, kept.first, kept.last)
    ]
    return UsageReport(period.first, period.last, lines, _total(lines, OF_KEYS))


REPORTS: Final = {"day": by_day, "key": by_key, "kind": by_kind}


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
