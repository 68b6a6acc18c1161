"""Read the dates that pages state in their markup or address."""

import re
from datetime import UTC, datetime, timedelta, timezone

ISO = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[T ]+(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?)?)?(?!\d)",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:T\d+Z?)?$")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:[a-z]{0,6})?\.?"
_WORDED = (
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.I),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(?P<year>\d{{4}})\b", re.I),
    re.compile(rf"\b{_MONTH},?\s+(?P<year>\d{{4}})\b", re.I),
)
_IN_PATH = re.compile(
    r"[/_-](?P<year>(?:19|20)\d{2})[/_-](?P<month>0?[1-9]|1[0-2])"
    r"(?:[/_-](?P<day>0?[1-9]|[12]\d|3[01]))?(?=[/_.-]|$)"
)
_PDF = re.compile(
    r"D:(?P<year>\d{4})(?P<month>\d{2})?(?P<day>\d{2})?(?:(?P<hour>\d{2})(?P<minute>\d{2})"
    r"(?P<second>\d{2})?)?(?P<zone>Z|[+-]\d{2}'?\d{2})?"
)
_EARLIEST = 1900

Dated = tuple[datetime, str]
"""An aware UTC time and the precision that was stated: second, day, month or year."""


def stated_date(text: str) -> Dated | None:
    """The date in a metadata value (ISO 8601, or English month names); None if there is none.

    Figures like 05/04/2021 are refused: nobody can tell the day from the month. A time without a
    zone counts as UTC.
    """
    text = text.strip()[:100]
    for pattern in (ISO, _COMPACT):
        match = pattern.match(text)
        if match and (dated := _dated(match)):
            return dated
    for pattern in _WORDED:
        match = pattern.search(text)
        if match and (dated := _dated(match)):
            return dated
    return None


def date_in_path(path: str) -> Dated | None:
    """The date in the path of an address, as blogs and newspapers write it: /2021/03/04/."""
    match = _IN_PATH.search(path)
    return _dated(match) if match else None


def pdf_date(text: str) -> Dated | None:
    """A PDF date string (ISO 32000-1, 7.9.4)."""
    match = _PDF.match(text)
    return _dated(match) if match else None


def _dated(match: re.Match[str]) -> Dated | None:
    parts = match.groupdict()
    name = (parts.get("name") or "").lower()
    month = str(_MONTHS.index(name) + 1) if name else parts.get("month")
    day, hour = parts.get("day"), parts.get("hour")
    try:
        moment = datetime(
            int(parts["year"] or 0),
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(parts.get("minute") or 0),
            int(parts.get("second") or 0),
            tzinfo=zone(parts.get("zone")),
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if moment.year < _EARLIEST:
        return None
    precision = "second" if hour else "day" if day else "month" if month else "year"
    return moment, precision


def zone(text: str | None) -> timezone:
    """The offset that `+02:00`, `Z` or nothing stands for; the last two are UTC."""
    digits = re.sub(r"\D", "", text or "")
    if len(digits) != 4:
        return UTC
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if (text or "").startswith("-") else offset)
