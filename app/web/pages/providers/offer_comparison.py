"""Two to four offers, an attribute a row: what differs is marked."""

from dataclasses import dataclass
from typing import Any, Final

from app.core import amounts
from app.web.pages.providers.offer_filters import ExampleJob
from app.web.pages.providers.offer_table import price, uptime

LEAST: Final = 2
MOST: Final = 4
WINDOWS: Final = {"5m": "5 min", "30m": "30 min", "1d": "1 d", "30d": "30 d"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """Of all offers, in their order. `kind`: stated, observed, claimed or measured."""

    name: str
    kind: str
    values: list[str | None]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


def attributes(
    offers: list[dict[str, Any]], healths: list[dict[str, Any]], job: ExampleJob
) -> list[Attribute]:
    """Returns what the API says of each, and what the job would cost."""
    stated: list[tuple[str, list[str | None]]] = [
        ("Model", [offer["model"] for offer in offers]),
        ("Model revision", [offer["model_revision"] for offer in offers]),
        ("Input, USD per 1M", [offer["rates"]["input"] for offer in offers]),
        ("Output, USD per 1M", [offer["rates"]["output"] for offer in offers]),
        ("Example job, USD", [amounts.text(price(offer, job)) for offer in offers]),
        ("Price revision", [str(offer["pricing_revision"]) for offer in offers]),
    ]
    observed: list[tuple[str, list[str | None]]] = [
        ("Availability", [offer["availability"] for offer in offers]),
        ("Revision known to operator", [_checked(health) for health in healths]),
    ]
    claimed: list[tuple[str, list[str | None]]] = [
        ("Context", [_tokens(health["claimed"]["max_context"]) for health in healths]),
        ("Precision", [health["claimed"]["precision"] for health in healths]),
    ]
    return [
        *_of_kind("stated", stated),
        *_of_kind("observed", observed),
        *_of_kind("claimed", claimed),
        *_measured(healths),
    ]


def _of_kind(kind: str, rows: list[tuple[str, list[str | None]]]) -> list[Attribute]:
    return [Attribute(name, kind, values) for name, values in rows]


def _checked(health: dict[str, Any]) -> str:
    return "yes" if health["revision_enabled"] else "not yet"


def _tokens(count: int | None) -> str | None:
    return None if count is None else f"{count:,} tokens"


def _measured(healths: list[dict[str, Any]]) -> list[Attribute]:
    """Of the shortest and the longest window that say something at a glance."""
    found = []
    for window in ("1d", "30d"):
        each = [_window(health, window) for health in healths]
        rows: list[tuple[str, list[str | None]]] = [
            ("Up", [_percent(one) for one in each]),
            ("First token, p50", [_first_token(one) for one in each]),
            ("Tokens/s, p50", [_speed(one) for one in each]),
            ("Requests", [f"{one['requests']:,}" for one in each]),
        ]
        found += _of_kind(
            "measured", [(f"{name}, {WINDOWS[window]}", values) for name, values in rows]
        )
    return found


def _window(health: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in health["windows"] if each["window"] == name)


def _percent(window: dict[str, Any]) -> str | None:
    share = uptime(window)
    return None if share is None else f"{share:.2f} %"


def _first_token(window: dict[str, Any]) -> str | None:
    times = window["first_token_ms"]
    return f"{times['p50']:,} ms" if times else None


def _speed(window: dict[str, Any]) -> str | None:
    speeds = window["tokens_per_second"]
    return f"{speeds['p50']:g}" if speeds else None
