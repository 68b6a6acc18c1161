"""/styleguide: every component of pages with an example, for whoever adds a page."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, Final, NamedTuple

from flask import Blueprint, g, redirect, request
from werkzeug.wrappers import Response

from app.core.http.access import signed_in
from app.web.charts.charts import Chart, Series, bar_chart, line_chart
from app.web.charts.step_graph import graph
from app.web.charts.timeline import TimeSpan, timeline
from app.web.citations import line_difference
from app.web.frame import chips
from app.web.frame.assets import STATIC
from app.web.frame.rendering import render, viewer

bp = Blueprint("styleguide_pages", __name__)

MODES: Final = ("light", "dark")
_COLOUR: Final = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
_LENGTH: Final = re.compile(r"--(s\d+|radius): (\d+)px")
_NOON: Final = datetime(2026, 7, 1, 12, tzinfo=UTC)
_ID: Final = "srch_" + "a" * 26


class ColourToken(NamedTuple):
    """A custom property of the style sheet, and its colours as `#rrggbb`."""

    name: str
    light: str
    dark: str


@bp.get("/styleguide")
@signed_in
def show() -> Response:
    """The components in the reader's mode, or in the one that `mode` names."""
    mode = request.args.get("mode", "")
    g.form_errors = {"refused": "Must be a number of days, such as 30."}
    colours, lengths = tokens()
    return render(
        "styleguide/show.html",
        live="clock",
        mode=mode if mode in MODES else None,
        modes=MODES,
        colours=colours,
        lengths=lengths,
        chips={kind: words.split() for kind, words in chips.KINDS.items()},
        **_samples(),
    )


@bp.post("/styleguide")
@signed_in
def nothing() -> Response:
    """Buttons of examples lead back."""
    return redirect("/styleguide", 303)


@cache
def tokens() -> tuple[list[ColourToken], list[tuple[str, int]]]:
    """The colours, and the lengths in pixels, that the style sheet begins with."""
    sheet = (STATIC / "app.css").read_text(encoding="utf-8").partition("}")[0]
    lengths = [(name, int(pixels)) for name, pixels in _LENGTH.findall(sheet)]
    return [ColourToken(*found) for found in _COLOUR.findall(sheet)], lengths


def _samples() -> dict[str, Any]:
    """Values as operations answer with them; their links lead nowhere."""
    source = {
        "n": 1,
        "title": "Example Solar annual notice",
        "url": "https://docs.example.org/solar",
        "fetched_at": "2026-07-01T12:00:00Z",
    }
    said = "commissioned on 14 March 2024"
    progress = {
        "stage": "reading pages",
        "sources_found": 2,
        "percent": 40,
        "pages": [{"title": source["title"], "url": source["url"]}],
    }
    return {
        "id": _ID,
        "at": _NOON,
        "search": {"id": _ID, "progress": progress, "created_at": "2026-07-01T12:00:00Z"},
        "seconds": 3.4,
        "stages": {"names": ["Search", "Read", "Check", "Answer"], "shown": range(4), "at": 1},
        "cards": [{"key": str(n), "source": source, "said": said} for n in (1, 2)],
        "citations": [
            {"key": "1", "found": True, "weak": False, "source": source},
            {"key": "2", "found": False, "weak": True, "source": source},
        ],
        "job": {"progress": {**_PROGRESS, "stage": "reading pages", "percent": 40}},
        "pace": {"rate": "3 pages per second", "left_seconds": 20},
        "difference": line_difference.between("Ships in 10 days.", "Ships in 2 days."),
        "charts": _charts(viewer().zone),
        "timeline": timeline(_SPANS, _NOON),
        "graph": graph(_STEPS),
    }


_PROGRESS: Final = {"pages_done": 40, "pages_found": 100}
_SPANS: Final = (
    TimeSpan("Waiting for a worker", "queued", _NOON - timedelta(9), _NOON - timedelta(8)),
    TimeSpan("Reading pages", "completed", _NOON - timedelta(8), _NOON - timedelta(2)),
    TimeSpan("Checking quotes", "running", _NOON - timedelta(2)),
)
_COUNTS: Final = {"items_in": 4, "items_out": 0}
_STEPS: Final[tuple[Mapping[str, Any], ...]] = (
    {"id": "read", "type": "extraction", "needs": [], "state": "done", **_COUNTS},
    {"id": "cheap", "type": "filter", "needs": ["read"], "state": "failed", **_COUNTS},
)


def _charts(zone: str) -> tuple[Chart, ...]:
    times = [_NOON + timedelta(hours=number) for number in range(6)]
    first: list[Decimal | None] = [Decimal(number) for number in (55, 60, 80, 120, 180, 212)]
    second = [Decimal(30), Decimal(40), None, Decimal(20), Decimal(10), Decimal(0)]
    lines = (
        Series("extract", list(zip(times, first, strict=True))),
        Series("search", list(zip(times, second, strict=True)), dash=True),
    )
    spent: list[Decimal | None] = [Decimal("1.25"), Decimal("0.4"), None]
    return (
        line_chart("Waiting jobs", lines, summary="extract has grown to 212.", zone=zone),
        bar_chart("Spending", ["chat", "search", "campaigns"], spent, summary="", unit="USD"),
    )
