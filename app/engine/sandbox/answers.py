"""The answers of a child, checked: it may have been taken over by the document it read.

Nothing is believed but its form: types, sizes, places inside the text, and no character that cannot
be stored. That a page says what it says is no more believed than that of any page.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar, get_args

from app.engine.pages.blocks.canonical import Heading
from app.engine.pages.formats.sizes import MOST_PAGES
from app.engine.pages.main_text.blocked import Blocked
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable
from app.engine.pages.passages import Passage
from app.engine.pages.site.sitemap import Sitemap
from app.engine.sandbox import messages
from app.engine.sandbox.documents import Facts, ReadDocument

Item = TypeVar("Item")
_MOST_ITEMS = 5_000_000
_MOST_LEVELS = 300  # headings, and entries inside of entries as deep as documents may be
_LONGEST = 10_000


class Malformed(Exception):
    """The answer is not one."""


def page_reading(answer: object) -> ReadDocument:
    """Raises Malformed, and PageUnreadable when that is the answer."""
    value = part(answer, "reading")
    page = _page(_object(value, "page"))
    spans = _list(value, "passages", lambda item: _passage(item, len(page.text)))
    terms = _list(value, "terms", _terms)
    if terms and len(terms) != len(spans):
        raise Malformed
    if [span.ordinal for span in spans] != list(range(len(spans))):
        raise Malformed
    simhash = _text(value, "simhash")
    if len(simhash) != 16 or not set(simhash) <= set("0123456789abcdef"):
        raise Malformed
    return ReadDocument(page, tuple(spans), tuple(terms), simhash)


def sitemap(answer: object) -> Sitemap:
    """Raises Malformed, and PageUnreadable when that is the answer."""
    value = part(answer, "sitemap")
    return Sitemap(tuple(_list(value, "urls", _is_text)), tuple(_list(value, "children", _is_text)))


def facts(answer: object) -> Facts:
    """The facts of a page that was read for its records; raises as `page_reading`."""
    value = part(answer, "facts")
    return Facts(
        links=tuple(_list(value, "links", _is_text)),
        title=_optional_text(value, "title"),
        language=_optional_text(value, "language"),
        canonical_url=_optional_text(value, "canonical_url"),
        noindex=_flag(value, "noindex"),
        nofollow=_flag(value, "nofollow"),
        publisher=_optional_text(value, "publisher"),
        blocked=_blocked(value.get("blocked")),
    )


def part(answer: object, name: str) -> dict[str, Any]:
    """An object in the answer; raises as `page_reading`."""
    whole = _is_object(answer)
    if "unreadable" in whole:
        raise PageUnreadable(_reason(whole["unreadable"]))
    return _object(whole, name)


def _reason(item: object) -> Unreadable:
    try:
        return Unreadable(item)
    except ValueError as error:
        raise Malformed from error


def _page(value: dict[str, Any]) -> Page:
    text = _text(value, "text", most=messages.MOST_HEAD_BYTES)
    return Page(
        text=text,
        title=_optional_text(value, "title"),
        headings=tuple(_list(value, "headings", lambda item: _heading(item, len(text)))),
        code=tuple(_list(value, "code", lambda item: _span(item, len(text)))),
        language=_optional_text(value, "language"),
        published=_published(value.get("published")),
        author=_optional_text(value, "author"),
        site_name=_optional_text(value, "site_name"),
        canonical_url=_optional_text(value, "canonical_url"),
        links=tuple(_list(value, "links", _is_text)),
        noindex=_flag(value, "noindex"),
        nofollow=_flag(value, "nofollow"),
        main_text_ratio=_ratio(value.get("main_text_ratio")),
        publisher=_optional_text(value, "publisher"),
        contact=None if value.get("contact") is None else _flag(value, "contact"),
        blocked=_blocked(value.get("blocked")),
        outdated=_flag(value, "outdated"),
        pages=tuple(_starts(value, len(text))),
        lack=None if value.get("lack") is None else _reason(value["lack"]).value,
    )


def _starts(value: dict[str, Any], end: int) -> list[int]:
    starts = _list(value, "pages", lambda item: _number({"start": item}, "start", 0, end))
    if len(starts) > MOST_PAGES or starts != sorted(starts):
        raise Malformed
    return starts


def _heading(item: object, end: int) -> Heading:
    value = _is_object(item)
    start, level = _number(value, "start", 0, end), _number(value, "level", 1, _MOST_LEVELS)
    ends = None if value.get("end") is None else _number(value, "end", start, end)
    return Heading(start, level, _text(value, "text"), ends)


def _passage(item: object, end: int) -> Passage:
    value = _is_object(item)
    start = _number(value, "start", 0, end)
    return Passage(
        start,
        _number(value, "end", start, end),
        tuple(_list(value, "heading_path", _is_text)),
        _number(value, "ordinal", 0, _MOST_ITEMS),
        _optional_text(value, "language"),
    )


def _span(item: object, end: int) -> tuple[int, int]:
    if not isinstance(item, list) or len(item) != 2:
        raise Malformed
    span = dict(zip(("start", "end"), item, strict=True))
    start = _number(span, "start", 0, end)
    return start, _number(span, "end", start, end)


def _terms(item: object) -> list[str]:
    if not isinstance(item, list) or not all(type(term) is str for term in item):
        raise Malformed
    if any("\0" in term or not 0 < len(term) <= 64 for term in item):
        raise Malformed
    return item


def _published(item: object) -> PublicationDate | None:
    if item is None:
        return None
    value = _is_object(item)
    return PublicationDate(
        _time(value.get("at")), _text(value, "precision"), _text(value, "source")
    )


def _time(item: object) -> datetime:
    try:
        at = datetime.fromisoformat(_is_text(item))
    except ValueError as error:
        raise Malformed from error
    if at.tzinfo is None:
        raise Malformed
    return at


def _blocked(item: object) -> Blocked | None:
    for known in get_args(Blocked):
        if item == known:
            return known  # type: ignore[no-any-return]
    if item is not None:
        raise Malformed
    return None


def _ratio(item: object) -> float:
    if type(item) is not float or not 0 <= item <= 1:
        raise Malformed
    return item


def _flag(value: dict[str, Any], name: str) -> bool:
    item = value.get(name)
    if type(item) is not bool:
        raise Malformed
    return item


def _number(value: dict[str, Any], name: str, least: int, most: int) -> int:
    item = value.get(name)
    if type(item) is not int or not least <= item <= most:
        raise Malformed
    return item


def _optional_text(value: dict[str, Any], name: str) -> str | None:
    return None if value.get(name) is None else _text(value, name)


def _text(value: dict[str, Any], name: str, most: int = _LONGEST) -> str:
    return _is_text(value.get(name), most)


def _is_text(item: object, most: int = _LONGEST) -> str:
    if type(item) is not str or len(item) > most or "\0" in item:
        raise Malformed
    return item


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    return _is_object(value.get(name))


def _is_object(item: object) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise Malformed
    return item


def _list(value: dict[str, Any], name: str, read: Callable[[object], Item]) -> list[Item]:
    items = value.get(name)
    if not isinstance(items, list) or len(items) > _MOST_ITEMS:
        raise Malformed
    return [read(item) for item in items]
