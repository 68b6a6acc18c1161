"""A campaign's burn-down as a chart and in a sentence."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from app.core import amounts
from app.web.charts.charts import Chart, Series, line_chart
from app.web.frame import times
from app.web.frame.money import exact

Point = tuple[datetime, Decimal]


def used(campaign: Mapping[str, Any]) -> int | None:
    """Returns how many hundredths of the funds added are spent; None without any money."""
    given = Decimal(campaign["funded"])
    return int(Decimal(campaign["spent"]) * 100 / given) if given else None


def burn_down(
    campaign: Mapping[str, Any], statistics: Mapping[str, Any], zone: str
) -> Chart | None:
    """Charts what is left, beside an even pace and a forecast; None before any money."""
    burnt = statistics["burn_down"]
    if not burnt["left"]:
        return None
    token = campaign["reward_budget"]["token"]
    lines = [Series("Left", list(_stairs(_points(burnt["left"]))))]
    if burnt["forecast"]:
        lines.append(Series("Forecast", _points(burnt["forecast"]), dash=True))
    if burnt["even_pace"]:
        lines.append(Series("Even pace", _points(burnt["even_pace"]), dash=True))
    return line_chart(
        "Budget left",
        lines,
        summary=summary(campaign, statistics, zone),
        unit=token,
        zone=zone,
        levels=_cap(campaign, burnt["left"]),
        marks=[
            (at, f"+{amounts.text(amount)} {token}") for at, amount in _points(burnt["top_ups"][1:])
        ],
    )


def _cap(
    campaign: Mapping[str, Any], left: Sequence[Mapping[str, str]]
) -> list[tuple[str, Decimal]]:
    """The whole budget as a line, unless it is so far above that nothing else could be seen."""
    cap = Decimal(campaign["reward_budget"]["amount"])
    return [("Budget", cap)] if cap <= 2 * max(Decimal(point["amount"]) for point in left) else []


def _points(points: Sequence[Mapping[str, str]]) -> list[Point]:
    return [(times.parsed(point["at"]), Decimal(point["amount"])) for point in points]


def _stairs(points: Sequence[Point]) -> Iterator[Point]:
    """An amount stays what it is until it changes."""
    before: Decimal | None = None
    for at, amount in points:
        if before is not None and before != amount:
            yield at, before
        yield at, amount
        before = amount


def summary(campaign: Mapping[str, Any], statistics: Mapping[str, Any], zone: str) -> str:
    """Describes what the chart shows, for whoever does not see it."""
    token, burnt = campaign["reward_budget"]["token"], statistics["burn_down"]
    known = (campaign["spent"], campaign["funded"], burnt["left"][-1]["amount"])
    spent, funded, left = (exact(Decimal(each)) for each in known)
    sentences = [f"{spent} of {funded} {token} spent, {left} left."]
    top_ups = len(burnt["top_ups"]) - 1
    if top_ups:
        sentences.append(f"Topped up {top_ups} time{'s' if top_ups > 1 else ''}.")
    if burnt["runs_out_at"]:
        sentences.append(
            f"At the usual {exact(Decimal(statistics['usual_run']))} {token} per run, the budget"
            f" lasts until {_day(burnt['runs_out_at'], zone)}."
        )
    if campaign["ends_at"]:
        sentences.append(f"The campaign ends on {_day(campaign['ends_at'], zone)}.")
    return " ".join(sentences)


def _day(moment: str, zone: str) -> str:
    local = times.local(moment, zone)
    return f"{local.day} {local:%B %Y}"
