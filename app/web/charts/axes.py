"""The places of the ticks on a chart's axes, and what is written at them."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from app.core import amounts
from app.domains.account.accounts.preferences import RELATIVE
from app.web.frame.times import zone_of

Number = Decimal | float

_STEPS: Final = tuple(Decimal(step) for step in ("1", "2", "2.5", "5", "10"))
_SUFFIXES: Final = ((Decimal(10) ** 12, "T"), (Decimal(10) ** 9, "G"), (Decimal(10) ** 6, "M"))
_ENORMOUS: Final = Decimal(10) ** 15
_MOST_TICKS: Final = 6

_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_SHORT: Final = (
    *(timedelta(seconds=seconds) for seconds in (1, 5, 10, 30)),
    *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 15, 30)),
    _HOUR,
)
_HOURS: Final = (2, 3, 6, 12)
_DAYS: Final = (1, 2, 5, 7, 14)
_MONTHS: Final = (1, 3, 6, 12, 60, 120, 1200)
_AGES: Final = (
    *_SHORT,
    *(timedelta(hours=hours) for hours in _HOURS),
    *(timedelta(days=days) for days in (*_DAYS, 30, 90, 180, 365, 1825, 3650)),
)


def exact(value: Number) -> Decimal | None:
    """The value as a decimal; None if it is no number."""
    number = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return number if number.is_finite() else None


def value_ticks(lowest: Decimal, highest: Decimal) -> list[Decimal]:
    """Round values from at most the lowest to at least the highest, zero among them."""
    lowest, highest = min(lowest, Decimal(0)), max(highest, Decimal(0))
    if lowest == highest:
        highest = Decimal(1)
    step = _value_step(highest - lowest)
    first = (lowest / step).to_integral_value(ROUND_FLOOR)
    last = (highest / step).to_integral_value(ROUND_CEILING)
    return [step * number for number in range(int(first), int(last) + 1)]


def _value_step(span: Decimal) -> Decimal:
    raw = span / (_MOST_TICKS - 2)
    magnitude = Decimal(10) ** raw.adjusted()
    return next(step * magnitude for step in _STEPS if step * magnitude >= raw)


def short(value: Decimal) -> str:
    """A value as it is written in a chart: three digits that count, and never `-0`."""
    if abs(value) >= _ENORMOUS:
        return f"{value:.2e}"
    for size, suffix in _SUFFIXES:
        if abs(value) >= size:
            return _short(value / size) + suffix
    return _short(value)


def _short(value: Decimal) -> str:
    if not value:
        return "0"
    places = max(0, 2 - value.adjusted())
    rounded = round(value, places)
    return amounts.text(rounded) if abs(rounded) < 1000 else f"{rounded:,.0f}"


def whole(value: Decimal) -> str:
    return amounts.text(value) if value else "0"


def time_ticks(
    first: datetime, last: datetime, setting: str, now: datetime
) -> list[tuple[datetime, str]]:
    """Round times, or round ages, between the two, with their labels."""
    if setting == RELATIVE:
        return list(_ages(first, last, now))
    return _times(first, last, zone_of(setting))


def _ages(first: datetime, last: datetime, now: datetime) -> Iterator[tuple[datetime, str]]:
    span = last - first
    step = next((step for step in _AGES if span / step <= _MOST_TICKS), _AGES[-1])
    for number in range(math.ceil((first - now) / step), math.floor((last - now) / step) + 1):
        yield now + number * step, _age(number * step)


def _age(since: timedelta) -> str:
    if not since:
        return "now"
    size = abs(since)
    unit, name = next(
        (unit, name) for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min"), (size, "s"))
        if size >= unit and not size % unit
    )  # fmt: skip
    count = size // unit if name != "s" else int(size.total_seconds())
    return f"{'+' if since > timedelta(0) else '−'}{count} {name}"


def _times(first: datetime, last: datetime, zone: tzinfo) -> list[tuple[datetime, str]]:
    span = last - first
    for step in _SHORT:
        if span / step <= _MOST_TICKS:
            return [(at, _clock(at, zone, step)) for at in _even(first, last, zone, step)]
    for hours in _HOURS:
        if span / timedelta(hours=hours) <= _MOST_TICKS:
            ticks = _on_the_clock(first, last, zone, hours)
            return [(at, _clock(at, zone, _HOUR)) for at in ticks]
    for days in _DAYS:
        if span / timedelta(days=days) <= _MOST_TICKS:
            return [(at, _date(at, zone)) for at in _midnights(first, last, zone, days)]
    months = next(
        (months for months in _MONTHS if span / timedelta(days=30 * months) <= _MOST_TICKS),
        _MONTHS[-1],
    )
    return [(at, _month(at, zone, months)) for at in _firsts(first, last, zone, months)]


def _even(first: datetime, last: datetime, zone: tzinfo, step: timedelta) -> Iterator[datetime]:
    """Each step of real time: when clocks are set back, an hour is there twice."""
    local = first.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    # Wall time since midnight: two times of one zone are subtracted as clocks show them.
    at = first + math.ceil((local - midnight) / step) * step - (local - midnight)
    while at <= last:
        yield at
        at += step


def _on_the_clock(first: datetime, last: datetime, zone: tzinfo, hours: int) -> Iterator[datetime]:
    """Times of day that exist: a day with a change of clocks has round hours as well."""
    for midnight in _days(first, last, zone):
        for hour in range(0, 24, hours):
            at = midnight.replace(hour=hour).astimezone(UTC)
            if at.astimezone(zone).hour == hour and first <= at <= last:
                yield at


def _midnights(first: datetime, last: datetime, zone: tzinfo, days: int) -> Iterator[datetime]:
    for midnight in _days(first, last, zone):
        at = midnight.astimezone(UTC)
        if midnight.toordinal() % days == 0 and first <= at <= last:
            yield at


def _days(first: datetime, last: datetime, zone: tzinfo) -> Iterator[datetime]:
    """Midnights as clocks show them, from the day of the first to that of the last."""
    start = first.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    for number in range((last - first).days + 3):
        yield start + number * _DAY


def _firsts(first: datetime, last: datetime, zone: tzinfo, months: int) -> Iterator[datetime]:
    """Of every so many months, counted from January of the year 0."""
    local = first.astimezone(zone)
    count = -(-(local.year * 12 + local.month - 1) // months) * months
    while count < 12 * 9999:
        year, month = divmod(count, 12)
        at = datetime(year, month + 1, 1, tzinfo=zone).astimezone(UTC)
        if at > last:
            return
        if at >= first:
            yield at
        count += months


def _clock(at: datetime, zone: tzinfo, step: timedelta) -> str:
    local = at.astimezone(zone)
    if local.hour == local.minute == local.second == 0:
        return _date(at, zone)
    return f"{local:%H:%M}" if step >= _MINUTE else f"{local:%H:%M:%S}"


def _date(at: datetime, zone: tzinfo) -> str:
    local = at.astimezone(zone)
    return f"{local.day} {local:%b}"


def _month(at: datetime, zone: tzinfo, months: int) -> str:
    local = at.astimezone(zone)
    return f"{local:%Y}" if months >= 12 else f"{local:%b %Y}"
