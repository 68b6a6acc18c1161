"""Results of web search engines, freed of everything a hostile engine could put into them."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from app.engine.pages.facts.links import absolute
from app.engine.pages.site.scope import storable

MOST_RESULTS = 200  # of one answer that are looked at
MOST_ENGINES = 20
_LONGEST_TITLE, _LONGEST_SNIPPET, _LONGEST_NAME = 300, 1_000, 40
_TAG = re.compile(r"<[^<>]{0,200}>")
_NAME = re.compile(r"[a-z0-9][a-z0-9 ._-]*")
_JOINERS = "\u200c\u200d"  # letters of Persian, Sinhala and other scripts need them
_SOFT_HYPHEN = "\u00ad"


@dataclass(frozen=True, slots=True)
class WebHit:
    """One result. `url` is absolute http(s) without fragment or credentials, at most 2,000 bytes.

    `published_at` (aware, UTC) is the engine's word. `engines` names the indexes that have the
    page: more than one when the engine asks others.
    """

    url: str
    title: str
    snippet: str
    published_at: datetime | None
    engines: tuple[str, ...]


def hit(
    *, url: Any, title: Any, snippet: Any, published: Any, engines: tuple[str, ...]
) -> WebHit | None:
    """A result from values of any type; None when there is no address to go to."""
    address = absolute(url, "") if isinstance(url, str) else None
    if address is None or not storable(address):
        return None
    return WebHit(
        url=address,
        title=_text(title, _LONGEST_TITLE),
        snippet=_text(snippet, _LONGEST_SNIPPET),
        published_at=_moment(published),
        engines=engines,
    )


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str):
        return ""
    plain = html.unescape(_TAG.sub("", value[: 4 * most])).replace(_SOFT_HYPHEN, "")
    shown = "".join(x if x.isprintable() or x in _JOINERS else " " for x in plain)
    return " ".join(shown.split())[:most]


def _moment(value: Any) -> datetime | None:
    """A date of the past; zones that are not stated are UTC."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment <= datetime.now(UTC) + timedelta(days=1) else None


def named(values: Any) -> tuple[str, ...]:
    """Engine names out of anything: lower case, short, each once."""
    if not isinstance(values, list):
        return ()
    names = (x.strip().lower() for x in values[:MOST_ENGINES] if isinstance(x, str))
    plain = (x for x in names if len(x) <= _LONGEST_NAME and _NAME.fullmatch(x))
    return tuple(dict.fromkeys(plain))


def distinct(hits: Iterable[WebHit | None], limit: int) -> tuple[WebHit, ...]:
    """The first `limit` addresses; of several results for one the first counts."""
    kept: dict[str, WebHit] = {}
    for found in hits:
        if found is not None and len(kept) < limit:
            kept.setdefault(found.url, found)
    return tuple(kept.values())


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects of a list that may be anything and of any length."""
    listed = value[:MOST_RESULTS] if isinstance(value, list) else []
    return [row for row in listed if isinstance(row, dict)]
