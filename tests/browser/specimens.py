"""Pages that only tests have: they show what pages are made of, and can be made to fail."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from flask import Blueprint, Response, render_template_string, request

from app.core.http.access import public_page, signed_in
from app.web.charts.charts import Series, line_chart
from app.web.frame import tables
from app.web.frame.rendering import viewer

SUMMER: Final = datetime(2026, 7, 1, 12, tzinfo=UTC)
HOURS: Final = [SUMMER + timedelta(hours=number) for number in range(6)]

_PAGE: Final = """
{%- extends "layout.html" %}{% block heading %}Specimen{% endblock %}
{% block status %}A page of tests{% endblock %}{% block content %}CONTENT{% endblock -%}
"""

LIVE: Final = """
<p id="outside">Outside of it</p>
<input id="beside" aria-label="Beside">
<div {{ ui.live("rows", 0.1) }}>{% block rows %}
<p id="count">{{ count }}</p><p id="words">Some words to select</p>
<a id="own" href="#own">A link</a> <input id="field" aria-label="Field">
<input type="checkbox" id="tick" aria-label="Tick">
<details id="more"><summary>More</summary>More words</details>
{% endblock %}</div>
<p>Since <span id="since" data-since="2026-01-01T00:00:00Z">a while</span></p>
"""
KEYS: Final = """
<input type="search" data-search id="search" aria-label="Search">
<p>{% for n in (1, 2) %}<a class="cite" id="cite-{{ n }}" data-cite="{{ n }}" href="?cite={{ n }}"
  hx-get="/specimens/panel/{{ n }}" hx-target="#panel" aria-expanded="false">{{ n }}</a>
{% endfor %}</p>
<aside id="panel"></aside>
<ul>{% for n in (1, 2, 3) %}<li data-row>
  <a id="row-{{ n }}" href="#row-{{ n }}">Row {{ n }}</a></li>{% endfor %}</ul>
<a data-previous href="#previous">Previous</a> <a data-next href="#next">Next</a>
{{ ui.copy("some = text", "Copy it") }}
"""
PANEL: Final = """
<section data-panel data-return="cite-{{ n }}"><h2 tabindex="-1">Quote {{ n }}</h2>
<a data-close href="keys" hx-get="nothing" hx-target="#panel">Close</a></section>
"""
TIMES: Final = """
<p id="when">{{ at | when }}</p><p id="exact">{{ at | exact }}</p>{{ ui.chart(chart) }}
<a href="/specimens/times.csv">CSV</a>
"""
LONG: Final = (
    "{% for n in range(120) %}<p><a id='link-{{ n }}' href='#'>Link {{ n }}</a></p>{% endfor %}"
)


@dataclass
class Live:
    """What the page of a live region answers, and how often it was asked."""

    polls: int = 0
    fails: int = 0
    final: bool = False
    still: bool = False
    versions: list[str | None] = field(default_factory=list)


def pages(live: Live) -> Blueprint:
    """Before the first request of the application."""
    bp = Blueprint("specimens", __name__, url_prefix="/specimens")
    views = {
        "/live": public_page(lambda: _live(live)),
        "/keys": signed_in(lambda: _page(KEYS)),
        "/panel/<int:n>": public_page(lambda n: render_template_string(PANEL, n=n)),
        "/nothing": public_page(lambda: ""),
        "/long": public_page(lambda: _page(LONG)),
        "/times": signed_in(_times),
        "/times.csv": signed_in(lambda: tables.export("times", ["at"], [[SUMMER]], "csv")),
    }
    for number, (path, view) in enumerate(views.items()):
        bp.add_url_rule(path, f"specimen{number}", view)
    return bp


def _live(live: Live) -> Response:
    if not request.headers.get("HX-Request"):
        return _page(LIVE, count=0)
    live.polls += 1
    live.versions.append(request.headers.get("If-None-Match"))
    if live.fails:
        sent = {"HX-Redirect": "/sign-in"} if live.fails == 401 else {}
        return Response(status=live.fails, headers=sent)
    source = LIVE.split("{% block rows %}")[1].split("{% endblock %}")[0]
    text = render_template_string(source, count="still" if live.still else live.polls)
    answer = Response(text, 286 if live.final else 200)
    answer.add_etag()
    answer.make_conditional(request)
    return answer


def _times() -> Response:
    points = [(at, number) for number, at in enumerate(HOURS)]
    lines = [Series("queue", points)]
    chart = line_chart("Depth", lines, summary="It rises.", zone=viewer().zone)
    return _page(TIMES, at=SUMMER, chart=chart)


def _page(content: str, **context: Any) -> Response:
    return Response(render_template_string(_PAGE.replace("CONTENT", content), **context))
