"""Read the dates that pages state in their markup or address, as UTC."""

import re

from app.engine.text.dates import Moment, iso, moments, stamp

_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:T\d+Z?)?$")
_IN_PATH = re.compile(
    r"[/_-](?P<year>(?:19|20)\d{2})[/_-](?P<month>0?[1-9]|1[0-2])"
    r"(?:[/_-](?P<day>0?[1-9]|[12]\d|3[01]))?(?=[/_.-]|$)"
)
_PDF = re.compile(
    r"D:(?P<year>\d{4})(?P<month>\d{2})?(?P<day>\d{2})?(?:(?P<hour>\d{2})(?P<minute>\d{2})"
    r"(?P<second>\d{2})?)?(?P<zone>Z|[+-]\d{2}'?\d{2})?"
)
_EARLIEST = 1900
_LONGEST = 100


def stated_date(text: str) -> Moment | None:
    """The date in a metadata value; None if there is none.

    Figures like 05/04/2021 are refused: nobody can tell the day from the month. A time without a
    zone counts as UTC.
    """
    text = text.strip()[:_LONGEST]
    stated = (iso(text, whole=False), _stamped(_COMPACT.match(text)), *moments(text))
    return next(filter(None, map(_utc, stated)), None)


def date_in_path(path: str) -> Moment | None:
    """The date in the path of an address, as blogs and newspapers write it: /2021/03/04/."""
    return _utc(_stamped(_IN_PATH.search(path)))


def pdf_date(text: str) -> Moment | None:
    """A PDF date string (ISO 32000-1, 7.9.4)."""
    return _utc(_stamped(_PDF.match(text)))


def _stamped(match: re.Match[str] | None) -> Moment | None:
    return match and stamp(match)


def _utc(stated: Moment | None) -> Moment | None:
    if stated is None or stated.ambiguous:
        return None
    moment = stated.utc()
    return moment if moment.at.year >= _EARLIEST else None
