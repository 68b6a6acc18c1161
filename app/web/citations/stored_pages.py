"""The stored text of a page with a quote marked in it, shut in: nothing of it acts or is loaded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, render_template, request
from markupsafe import Markup

from app.core.errors import NotFound
from app.web.citations import text_blocks
from app.web.citations.quotes import CitedQuote, ShownPlace, digest, locate
from app.web.citations.text_blocks import MarkedText, visible

HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'self'; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "SAMEORIGIN",
}
AROUND: Final = 8_000
"""Characters shown before and behind the quote."""
MOST_STRUCTURED: Final = 400_000
"""Characters that are told apart into blocks; more are shown as they are."""


@dataclass(frozen=True, slots=True)
class VisibleText:
    """The part of a text that is shown, and how much there is before and behind it."""

    body: Markup
    before: int
    behind: int
    structured: bool


def cited_texts(result: Mapping[str, Any], read: Callable[[str], str]) -> dict[int, str]:
    found = {}
    for n in {citation["source"] for citation in result["citations"]}:
        try:
            found[n] = read(str(n))
        except NotFound:
            continue
    return found


def view(snapshot: Mapping[str, Any], quote: CitedQuote | None, *, back: str) -> Response:
    """The page for one quote, or without any; `back` is where the quote is cited.

    What is marked are the words of it that answer.

    Of the address: `all` shows the whole text, `as=text` as it is stored, and `frame` leaves out
    what is only of use outside of one.
    """
    text = str(snapshot["text"])
    place = locate(text, quote) if quote else None
    marked = place.narrowed(quote.lead) if place and quote else None
    whole, plain = "all" in request.args, request.args.get("as") == "text"
    page = render_template(
        "snapshots/view.html",
        snapshot=snapshot,
        title=visible(snapshot.get("title") or snapshot["url"]),
        place=place,
        intact=digest(text) == snapshot["content_hash"],
        shown=show(text, marked, whole=whole, plain=plain, pages=snapshot.get("pages", ())),
        framed="frame" in request.args,
        back=back,
    )
    return Response(page, mimetype="text/html", headers=HEADERS)


def show(
    text: str,
    place: ShownPlace | None,
    *,
    whole: bool,
    plain: bool,
    pages: Sequence[int] = (),
) -> VisibleText:
    hit = place if place and place.found else None
    start, end = (0, len(text)) if whole else _window(text, hit)
    inline = _marking(text, hit, pages)
    structured = not plain and end - start <= MOST_STRUCTURED
    body = text_blocks.html(text, start, end, inline) if structured else Markup("")
    if hit and not inline.marked:  # no block holds it: better plain than without proof
        structured = False
    if not structured:
        body = Markup('<pre class="whole">{}</pre>').format(_marking(text, hit, pages)(start, end))
    return VisibleText(body, start, len(text) - end, structured)


def _marking(text: str, hit: ShownPlace | None, pages: Sequence[int]) -> MarkedText:
    start, end = (hit.start, hit.end) if hit else (0, 0)
    return MarkedText(text, start, end, id="hit" if hit else "", pages=pages)


def _window(text: str, hit: ShownPlace | None) -> tuple[int, int]:
    """From a blank line to a blank line around the quote, or from the beginning."""
    middle = (hit.start, hit.end) if hit else (0, 0)
    start, end = max(0, middle[0] - AROUND), min(len(text), middle[1] + AROUND)
    if start:
        blank = text.find("\n\n", start, middle[0])
        start = blank + 2 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind("\n\n", middle[1], end)
        end = blank if blank > 0 else end
    return start, end
