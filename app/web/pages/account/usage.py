"""The usage of the account: what it did and spent, in charts, tables and files, with its limits."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from flask import Blueprint, Response, request

from app.core.errors import NotFound
from app.core.http.access import signed_in
from app.web.charts.charts import Chart, Series, bar_chart, line_chart
from app.web.frame.operations import call
from app.web.frame.rendering import render
from app.web.frame.tables import FORMS, export

bp = Blueprint("usage_pages", __name__)

GROUPS: Final = {"day": "By day", "key": "By API key", "kind": "By kind"}
PERIODS: Final = [("7", "7 days"), ("30", "30 days"), ("90", "90 days")]
COUNTED: Final = ("requests", "searches", "extractions", "pages", "chats")
OF_KEYS: Final = ("requests", "searches", "extractions", "chats")


def _report() -> dict[str, Any]:
    query = {name: request.args.get(name) for name in ("group", "days")}
    report: dict[str, Any] = call("getUsage", query=query)
    return report


@bp.get("/usage")
@signed_in
def show() -> Response:
    report = _report()
    return render(
        "usage/show.html",
        report=report,
        columns=("number",) if report["group"] == "kind" else _columns(report),
        rows=[(_name(line), line, _numbers(report, line)) for line in _newest_first(report)],
        charts=_charts(report),
        credit=call("getAccount")["credit"],
        groups=GROUPS,
        periods=PERIODS,
    )


def _columns(report: dict[str, Any]) -> Sequence[str]:
    return OF_KEYS if report["group"] == "key" else COUNTED


def _numbers(report: dict[str, Any], line: dict[str, Any]) -> list[int | None]:
    """In the order of the columns; a kind has one of its own, campaigns none."""
    counts: dict[str, int] = line["counts"]
    if report["group"] == "kind":
        return [counts.get(line["name"])]
    return [counts.get(kind) for kind in _columns(report)]


def _newest_first(report: dict[str, Any]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = report["lines"]
    return lines[::-1] if report["group"] == "day" else lines


def _name(line: dict[str, Any]) -> str:
    if line["api_key"]:
        return f"{line['api_key']['name']} …{line['api_key']['last_four']}"
    name: str = line["name"]
    return "Signed in" if name == "signed_in" else name.capitalize()


def _charts(report: dict[str, Any]) -> list[Chart]:
    """Requests, and what was spent of each token."""
    counts: dict[str, int] = report["total"]["counts"]
    requests = f"{counts['requests']:,} requests in total."
    charts = []
    if report["group"] == "kind":
        done = {kind: count for kind, count in counts.items() if kind != "requests"}
        words = ", ".join(f"{count:,} {kind}" for kind, count in done.items())
        charts.append(
            bar_chart(
                "Completed work", [*map(str.capitalize, done)], [*done.values()], summary=words
            )
        )
    else:
        charts.append(_chart(report, "Requests", requests, _requests(report["lines"])))
    for spent in report["total"]["spent"]:
        token, summary = spent["token"], f"{spent['amount']} {spent['token']} in total."
        shown = report | {"lines": _spending(report, token)}
        values = [_spent(line, token) for line in shown["lines"]]
        charts.append(_chart(shown, f"Spent, {token}", summary, values, token))
    return charts


def _chart(
    report: dict[str, Any], title: str, summary: str, values: Sequence[Decimal], unit: str = ""
) -> Chart:
    lines = report["lines"]
    if report["group"] == "day":
        days = [datetime.fromisoformat(line["name"]).replace(tzinfo=UTC) for line in lines]
        series = Series(title, list(zip(days, values, strict=True)))
        return line_chart(title, [series], summary=summary, unit=unit, zone="UTC", steps=True)
    return bar_chart(title, [_name(line) for line in lines], values, summary=summary, unit=unit)


def _requests(lines: Sequence[dict[str, Any]]) -> list[Decimal]:
    return [Decimal(line["counts"]["requests"]) for line in lines]


def _spending(report: dict[str, Any], token: str) -> list[dict[str, Any]]:
    """All days; of keys and kinds those that spent anything."""
    lines: list[dict[str, Any]] = report["lines"]
    return [line for line in lines if report["group"] == "day" or _spent(line, token)]


def _spent(line: dict[str, Any], token: str) -> Decimal:
    amounts = (each["amount"] for each in line["spent"] if each["token"] == token)
    return Decimal(next(amounts, 0))


@bp.get("/usage.<string:form>")
@signed_in
def as_file(form: str) -> Response:
    """The table, as the page shows it."""
    if form not in FORMS:
        raise NotFound
    report = _report()
    tokens = [spent["token"] for spent in report["total"]["spent"]]
    columns = [report["group"], *_columns(report), *(f"spent {token}" for token in tokens)]
    rows = (
        [
            line["name"],
            *(line["counts"].get(kind) for kind in _columns(report)),
            *(_spent(line, token) for token in tokens),
        ]
        for line in _newest_first(report)
    )
    return export("usage", columns, rows, form)
