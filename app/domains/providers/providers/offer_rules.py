"""Rules for the fields of an offer: one model on one device at a price. The rules of each field."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from app.core.http.names import line
from app.domains.providers.providers import profile_rules

MOST_MODEL: Final = 160
MOST_DEVICE_ID: Final = 100
MOST_INT: Final = 2**31 - 1
AHEAD: Final = timedelta(seconds=60)
"""How far a reporter's clock may be ahead of ours."""

PRECISION: Final = r"[a-z0-9][a-z0-9._-]{0,19}"
RATE: Final = r"(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?"
_IS_RATE = re.compile(RATE)
_IS_PRECISION = re.compile(PRECISION)
_IS_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class OfferFields:
    """Rates in USD per million tokens. None means: not given, leave it as it is."""

    device_id: str
    model: str
    model_revision: str
    input_rate: Decimal
    output_rate: Decimal
    public_name: str
    serving: bool | None = None
    auto_eligible: bool | None = None
    max_context: int | None = None
    precision: str | None = None
    in_flight: int | None = None
    capacity: int | None = None
    seen_at: datetime | None = None


def parse(entry: Mapping[str, Any]) -> OfferFields:
    """The offer in a JSON object. Raises ValueError naming every field that is wrong."""
    problems = [f"{name}: Missing." for name in _REQUIRED if name not in entry]
    problems += [f"{name}: Unknown field." for name in entry if name not in _RULES]
    values: dict[str, Any] = {}
    for name, value in entry.items():
        if name in _RULES:
            try:
                values[name] = _RULES[name](value)
            except ValueError as error:
                problems.append(f"{name}: {error}")
    if problems:
        raise ValueError(" ".join(problems))
    values["input_rate"], values["output_rate"] = values.pop("rates")
    return OfferFields(**values)


def _identifier(most: int) -> Callable[[object], str]:
    """Exact text: it is compared, never trimmed."""

    def check(value: object) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= most or value != value.strip():
            raise ValueError(f"Must have 1 to {most} characters without surrounding spaces.")
        return line(value, most)

    return check


def rates(value: object) -> tuple[Decimal, Decimal]:
    """`{input, output}`, each a decimal string. ValueError."""
    if not isinstance(value, Mapping) or value.keys() != {"input", "output"}:
        raise ValueError("Must be an object of input and output.")
    return _rate(value["input"]), _rate(value["output"])


def _rate(value: object) -> Decimal:
    if not isinstance(value, str) or not _IS_RATE.fullmatch(value):
        raise ValueError('Must be decimal strings such as "0.25", below 1000000000.')
    return Decimal(value)


def _whole(least: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST_INT:
            raise ValueError(f"Must be a whole number, at least {least}.")
        return value

    return check


def _precision(value: object) -> str:
    if not isinstance(value, str) or not _IS_PRECISION.fullmatch(value):
        raise ValueError("Must be up to 20 of a-z, 0-9, . _ and -, such as fp8 or q4_k_m.")
    return value


def _time(value: object) -> datetime:
    if not isinstance(value, str) or not _IS_TIME.fullmatch(value):
        raise ValueError("Must be a time such as 2026-01-31T12:00:00Z.")
    found = datetime.fromisoformat(value.upper())
    if found > datetime.now(UTC) + AHEAD:
        raise ValueError("Lies ahead of now.")
    return found


_RULES: Final[dict[str, Callable[[object], Any]]] = {
    "device_id": _identifier(MOST_DEVICE_ID),
    "model": _identifier(MOST_MODEL),
    "model_revision": _identifier(MOST_MODEL),
    "rates": rates,
    "public_name": profile_rules.public_name,
    "serving": profile_rules.flag,
    "auto_eligible": profile_rules.flag,
    "max_context": _whole(1),
    "precision": _precision,
    "in_flight": _whole(0),
    "capacity": _whole(1),
    "seen_at": _time,
}
_REQUIRED: Final = ("device_id", "model", "model_revision", "rates", "public_name")
