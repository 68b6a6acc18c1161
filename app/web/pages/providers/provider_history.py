"""Performance of a provider's offers over 30 days: two charts, or words for few data."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core import db
from app.domains.providers.chats.health import health
from app.web.charts.charts import Chart, Series, line_chart
from app.web.pages.providers.offer_table import uptime

DAYS: Final = 30


def by_day(offers: list[dict[str, Any]]) -> dict[date, dict[str, Any]]:
    """Of all these offers together, on each day that had a chat."""
    with db.reading() as reader:
        return health.by_day(reader, [UUID(offer["offer_id"]) for offer in offers])


def charts(days: dict[date, dict[str, Any]]) -> list[Chart]:
    """Uptime and time to the first token; none where no day has enough requests."""
    shown = {day: window for day, window in days.items() if window["error_rate"] is not None}
    if not shown:
        return []
    today = datetime.now(UTC).date()
    dates = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    requests = sum(window["requests"] for window in days.values())
    resting = f"of {requests:,} requests on {len(days)} days; days with fewer than 20 are gaps"
    up = {day: uptime(window) for day, window in shown.items()}
    first = {day: _first_token(window) for day, window in shown.items()}
    up_range, first_range = _range(up, 2), _range(first, 0)
    return [
        _chart("Up", up, dates, "%", f"{up_range} %, {resting}."),
        _chart("First token, p50", first, dates, "ms", f"{first_range} ms, {resting}."),
    ]


def _first_token(window: dict[str, Any]) -> Decimal | None:
    times = window["first_token_ms"]
    return Decimal(times["p50"]) if times else None


def _range(values: dict[date, Decimal | None], decimals: int) -> str:
    known = [value for value in values.values() if value is not None]
    if not known:
        return "Unknown"
    low, high = (f"{value:,.{decimals}f}" for value in (min(known), max(known)))
    return low if low == high else f"Between {low} and {high}"


def _chart(
    name: str, values: dict[date, Decimal | None], dates: list[date], unit: str, summary: str
) -> Chart:
    points = [(datetime.combine(day, time(), UTC), values.get(day)) for day in dates]
    return line_chart(
        f"{name}, last {DAYS} days",
        [Series(name.rpartition(", ")[2], points)],
        summary=summary,
        unit=unit,
        zone="UTC",  # as the days are
    )
