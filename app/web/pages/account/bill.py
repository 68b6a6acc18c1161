"""Billing: the credit of the account, its spending in a calendar month, its transfers."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db
from app.core.errors import Invalid
from app.core.http import current_settings
from app.core.http.access import caller_or_none, signed_in
from app.domains.own_data.usage import presentation, service
from app.domains.own_data.usage.schemas import UsageReportOut
from app.domains.own_data.usage.service import Period
from app.web.charts.charts import Chart, Series, bar_chart, line_chart
from app.web.frame.money import exact
from app.web.frame.operations import page_of
from app.web.frame.rendering import render
from app.web.frame.tables import export
from app.web.pages.account import credit

bp = Blueprint("billing_pages", __name__)

GROUPS: Final = {"day": "By day", "key": "By API key", "kind": "By kind"}
COUNTED: Final = ("requests", "searches", "extractions", "pages", "chats")
OF_KEYS: Final = ("requests", "searches", "extractions", "chats")
_MONTH: Final = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])", re.ASCII)


@bp.get("/billing")
@signed_in
def show() -> Response:
    month, group = _month(), _group()
    report = _report(month, group)
    found = page_of("listCredits")
    return render(
        "billing/show.html",
        report=report,
        total=(report if group != "key" else _report(month, "day"))["total"],
        month=month,
        before=month - timedelta(1),
        after=_after(month),
        columns=("number",) if report["group"] == "kind" else _columns(report),
        rows=[(_name(line), line, _numbers(report, line)) for line in _newest_first(report)],
        charts=_charts(report),
        groups=GROUPS,
        found=found,
        receipts=credit.receipts(found["entries"]),
        payments=credit.payment_offer(),
    )


@bp.get("/usage")
@bp.get("/wallet")
@signed_in
def moved() -> Response:
    """Both are parts of one page."""
    group = request.args.get("group")
    return redirect("/billing" + (f"?{urlencode({'group': group})}" if group else ""), 301)


def _month() -> date:
    """The first day of the month that is asked for; of this one if none is."""
    today = datetime.now(UTC).date()
    text = request.args.get("month")
    if text is None:
        return today.replace(day=1)
    found = _MONTH.fullmatch(text)
    month = date(int(found[1]), int(found[2]), 1) if found else None
    if month is None or month > today:
        raise Invalid.at("/month", "Must be a month such as 2026-11, this one or an earlier one.")
    return month


def _after(month: date) -> date | None:
    """The next month, if it has begun."""
    following = (month + timedelta(31)).replace(day=1)
    return following if following <= datetime.now(UTC).date() else None


def _group() -> str:
    group = request.args.get("group", "day")
    if group not in service.REPORTS:
        raise Invalid.at("/group", f"Must be one of: {', '.join(service.REPORTS)}.")
    return group


def _report(month: date, group: str) -> dict[str, Any]:
    """As the API reports recent days."""
    settings = current_settings()
    caller = caller_or_none()
    assert caller is not None  # noqa: S101 (only who signed in gets here)
    with db.reading() as reader:
        period = Period.month(month)
        found = service.REPORTS[group](reader, caller.account_id, period, settings)
        limits = service.limits(reader, caller.account_id, settings)
    report: dict[str, Any] = UsageReportOut().dump(presentation.report(group, found, limits))
    return report


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
        counted = [line for line in report["lines"] if line["counts"]]
        charts.append(_chart(report | {"lines": counted}, "Requests", requests, _requests(counted)))
    for spent in report["total"]["spent"]:
        token, summary = spent["token"], _total(spent)
        shown = report | {"lines": _spending(report, token)}
        values = [_spent(line, token) for line in shown["lines"]]
        charts.append(_chart(shown, f"Spent, {token}", summary, values, token))
    return charts


def _total(spent: dict[str, str]) -> str:
    return f"{exact(Decimal(spent['amount']))} {spent['token']} in total."


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


@bp.get("/usage.<any(csv, json):form>")
@signed_in
def as_file(form: str) -> Response:
    report = _report(_month(), _group())
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
