"""The values that each `format` of JSON Schema that we know accepts."""

import re
from collections.abc import Callable
from datetime import date, datetime
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from app.engine.extraction.schema.places import MAX_CHARACTERS, email

ADDRESSES: Final = frozenset({"uri", "url", "iri", "uri-reference"})
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # `fromisoformat` reads days of weeks as well
_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt](?P<time>\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](?P<zone>\d\d:\d\d))"
)
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")
_DURATION = re.compile(
    r"P(?=.)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)"
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f<>\"\\^`{|}]+")
_REFERENCE = re.compile(r"[^\s\x00-\x1f\x7f<>\"\\^`{|}]*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOSTNAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_PHONE = re.compile(r"\+?[\d ()./-]{6,30}(?: ?(?:ext|x)\.? ?\d{1,6})?")


def accepts(name: str | None, text: str) -> bool:
    """True if a text is of a format; true for those nobody knows."""
    check = _CHECKS.get(name or "")
    return check is None or (len(text) <= MAX_CHARACTERS and check(text))


def _date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def _date_time(text: str) -> bool:
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.fromisoformat(f"{text[:10]}T{match['time'].replace(':60', ':59')}")
    except ValueError:
        return False
    hours, _, minutes = (match["zone"] or "00:00").partition(":")
    return int(hours) < 24 and int(minutes) < 60


def _ipv4(text: str) -> bool:
    try:
        return bool(IPv4Address(text))
    except AddressValueError:
        return False


def _ipv6(text: str) -> bool:
    try:
        return "%" not in text and bool(IPv6Address(text))
    except AddressValueError:
        return False


def _phone(text: str) -> bool:
    return bool(_PHONE.fullmatch(text)) and 6 <= sum(x.isdigit() for x in text) <= 21


def _whole(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "date": _date,
    "date-time": _date_time,
    "time": _whole(_TIME),
    "duration": _whole(_DURATION),
    "email": lambda text: email(text) == text,
    "uri": _whole(_URI),
    "url": _whole(_URI),
    "iri": _whole(_URI),
    "uri-reference": _whole(_REFERENCE),
    "hostname": _whole(_HOSTNAME),
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "uuid": _whole(_UUID),
    "phone": _phone,
}
