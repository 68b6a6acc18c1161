"""From what an operation answered to a page: templates, their filters, and the headers of pages."""

import hashlib
import secrets
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlencode

from flask import Flask, Response, g, render_template, request
from markupsafe import Markup
from werkzeug import wrappers

from app.core import db
from app.core.amounts import counted
from app.core.errors import Invalid
from app.core.http import csrf, current_settings
from app.core.http.access import caller_or_none
from app.domains.account.accounts import preferences
from app.domains.account.accounts.preferences import Viewer
from app.web.frame import chips, navigation, outcomes, times
from app.web.frame.assets import asset, scripts
from app.web.frame.money import money
from app.web.frame.table_cards import table_cards
from app.web.interface import docs

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
STOP_POLLING: Final = 286
"""The status at which htmx asks no more: nothing here will change."""

MOST_CONFIDENCE: Final = 0.99

NOBODY: Final = Viewer(email="", operator=False)


def prepare(app: Flask) -> None:
    environment = app.jinja_env
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters.update(
        when=when,
        exact=exact,
        number=number,
        amount=amount,
        money=money,
        duration=times.duration,
        bytes=in_bytes,
        counted=counted,
        estimate=estimate,
        about=about,
        inline=docs.inline,
        table_cards=table_cards,
    )
    environment.globals.update(
        chip_of=chips.chip,
        chip_drawn=chips.drawn,
        page_outcome=outcomes.of_page,
        here=here,
        request_id=lambda: g.get("request_id", ""),
        is_here=navigation.is_here,
        sections=navigation.sections,
        current_section=navigation.current,
        account_links=navigation.ACCOUNT,
        version=version("citegrid-server"),
        asset=asset,
        scripts=scripts,
        with_query=with_query,
        csrf_token=csrf_token,
        once_key=once_key,
        submitted=submitted,
        ticked=ticked,
        problem=problem,
        query=lambda: request.args,
    )
    environment.globals["ui"] = environment.get_template("ui.html").module
    app.context_processor(_of_every_page)


def _of_every_page() -> dict[str, Any]:
    return {
        "viewer": viewer() if signed_in() else None,
        "request_id": g.get("request_id", ""),
        "now": datetime.now(UTC),
    }


def signed_in() -> bool:
    """True if this page knows who opened it."""
    return caller_or_none() is not None


def viewer() -> Viewer:
    """Returns the viewer who opened this page, with their preferences; read once per request."""
    caller = caller_or_none()
    if caller is None:
        return NOBODY
    if "viewer" not in g:
        with db.reading() as reader:
            g.viewer = preferences.viewer(reader, caller.account_id)
    found: Viewer = g.viewer
    return found


def render(
    template: str,
    *,
    live: str | None = None,
    head: bool = True,
    final: bool = False,
    errors: Invalid | None = None,
    kept: bool = False,
    path: str | None = None,
    status: int = 200,
    **context: Any,
) -> Response:
    """The page, or only its block `live` when htmx asks for it; `final`: it will not change.

    With the block comes the `head` of the page, its state and its buttons: both are of one moment.

    With `errors`, the form is shown again with what was sent and what is wrong with it; `kept`:
    with what was sent, since nothing is wrong with it yet. `path`: that of the page, where its
    forms are sent to others, so that a refused one has links, filters and polls that work.
    """
    if path is not None:
        g.page_path = path
    if kept:
        g.form_errors = {}
    if errors is not None:
        g.form_errors = _by_field(errors)
        context["errors"], status = errors, 422
    context["status"] = status
    if live is None or not request.headers.get("HX-Request"):
        return Response(render_template(template, **context), status, mimetype="text/html")
    text = render_template(template, part=live, head=head, **context)
    return _unless_known(Response(text, STOP_POLLING if final else status, mimetype="text/html"))


def _unless_known(answer: Response) -> Response:
    """A poll that finds nothing new costs no bytes."""
    if answer.status_code != 200:
        return answer
    shown = answer.get_data(as_text=True)
    for key in g.get("once_keys", ()):  # a new one is no news
        shown = shown.replace(key, "")
    answer.set_etag(hashlib.sha256(shown.encode()).hexdigest(), weak=True)
    answer.make_conditional(request)
    return answer


def protect(response: wrappers.Response) -> None:
    """Sets the headers that every page is sent with; a view that needs another policy sets it."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", POLICY)
    headers.setdefault("Referrer-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    headers.setdefault("X-Frame-Options", "DENY")
    headers.pop("Access-Control-Allow-Origin", None)
    headers.pop("Access-Control-Expose-Headers", None)
    if "Cache-Control" not in headers:
        headers["Cache-Control"] = "no-store"
    if "caller" in g:
        headers.add("Vary", "Cookie")


def here() -> str:
    path: str = g.get("page_path", request.path)
    return path


def with_query(**changes: Any) -> str:
    """This address with other parameters; None takes one away. Another filter begins at page 1."""
    given = {name: request.args.getlist(name) for name in request.args}
    if changes and changes.keys() != {"cursor"}:
        given.pop("cursor", None)
    given |= {name: [] if value is None else [value] for name, value in changes.items()}
    pairs = [(name, value) for name, values in given.items() for value in values]
    return f"{here()}?{urlencode(pairs)}" if pairs else here()


def csrf_token() -> str:
    caller = caller_or_none()
    secret = current_settings().secret_key
    return csrf.token(secret, caller.credential_id if caller else None)


def once_key() -> str:
    """An Idempotency-Key for one form: sending it twice has its effect once. A form that is shown
    again with what was sent keeps its key."""
    if sent := submitted("key"):
        return str(sent)
    key = secrets.token_urlsafe(16)
    g.setdefault("once_keys", []).append(key)
    return key


def submitted(name: str, otherwise: Any = "") -> Any:
    """Returns what a refused form held in this field; before that, its first value."""
    return request.form.get(name, otherwise) if "form_errors" in g else otherwise


def ticked(name: str, value: str, first: bool, beside: str) -> bool:
    """True if a box is ticked: as it was sent with the field `beside` it, or else as at first."""
    if "form_errors" in g and beside in request.form:
        return value in request.form.getlist(name)
    return first


def problem(name: str) -> str:
    text: str = g.get("form_errors", {}).get(name, "")
    return text


def _by_field(errors: Invalid) -> dict[str, str]:
    """By the first step of each pointer: what is inside of a field is told at the field."""
    found: dict[str, str] = {}
    for detail in errors.details:
        name, _, inner = detail["field"].removeprefix("/").partition("/")
        text = f"{inner}: {detail['problem']}" if inner else detail["problem"]
        found[name] = f"{found[name]} {text}" if name in found else text
    return found


def when(moment: datetime | str | None) -> Markup:
    """A time as the reader prefers it, with the exact one on hover."""
    if moment is None:
        return Markup('<span class="none">–</span>')
    zone = viewer().zone
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        times.parsed(moment).isoformat(),
        times.exact_time(moment, zone),
        times.shown(moment, zone),
    )


def exact(moment: datetime | str | None) -> Markup:
    """Date and time with the zone's name."""
    if moment is None:
        return when(None)
    return Markup('<time datetime="{}">{}</time>').format(
        times.parsed(moment).isoformat(), times.exact_time(moment, viewer().zone)
    )


def number(value: float | str | None) -> str:
    """`12,345.6`; a dash for what is not known."""
    if value is None:
        return "–"
    return f"{Decimal(value):,f}" if isinstance(value, str) else f"{value:,}"


def estimate(confidence: float | None) -> str:
    """`0.97`; never 1, since no confidence of ours is calibrated for the reader's pages."""
    return "–" if confidence is None else f"{min(confidence, MOST_CONFIDENCE):.2f}"


def about(confidence: float | None) -> str:
    """`about 0.97`."""
    return "–" if confidence is None else f"about {estimate(confidence)}"


def amount(value: Decimal | str | None, currency: str = "") -> str:
    """A decimal as it is written, never rounded: `0.0031 USD`."""
    if value is None:
        return "–"
    return f"{value:f} {currency}".strip() if isinstance(value, Decimal) else f"{value} {currency}"


def in_bytes(count: int) -> str:
    """`1.2 MB`."""
    if count < 1000:
        return counted(count, "byte")
    power = 1 + (count >= 999_950) + (count >= 999_950_000)  # from where 1000.0 would be shown
    return f"{count / 1000**power:.1f} {'kMG'[power - 1]}B"
