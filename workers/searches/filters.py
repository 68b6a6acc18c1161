"""The filter that the options of a search make."""

from datetime import UTC, datetime, timedelta
from typing import Any

from app.engine.search.interface import Filter

_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=30),
    "y": timedelta(days=365),
}


def max_age(options: dict[str, Any]) -> timedelta | None:
    """Returns how old a page may be; None when unlimited."""
    freshness = options.get("freshness")
    return int(freshness[:-1]) * _UNITS[freshness[-1]] if freshness else None


def from_options(options: dict[str, Any]) -> Filter:
    """The passages that may be candidates, as of now."""
    age = max_age(options)
    return Filter(
        include_domains=tuple(options.get("include_domains", ())),
        exclude_domains=tuple(options.get("exclude_domains", ())),
        published_after=datetime.now(UTC) - age if age else None,
    )
