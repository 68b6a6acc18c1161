"""From a slice of a page to a JSON value by one of a closed list of transforms, and back again.

Each transform is a pure function of slice, field and context, so that anybody can compute the value
again from its quote. What several readings fit is `ambiguous`.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from typing import Any, Final

from app.engine.extraction.schema import places
from app.engine.extraction.schema.formats import ADDRESSES, accepts
from app.engine.extraction.schema.patterns import matches
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.schema.vocabulary import split, words
from app.engine.extraction.values import choices, durations, prices, quantities, texts
from app.engine.extraction.values.calibration import PROSE
from app.engine.extraction.values.dates import moment
from app.engine.extraction.values.typed import Context, TypedValue
from app.engine.text.dates import Moment

_PEOPLE: Final = words("author")
_CURRENCY: Final = words("currency")
_YEAR: Final = words("year")
_EMAIL, _PHONE = words("email"), words("phone")
_AMOUNTS: Final = (
    words("price") | words("salary") | words("fee turnover budget revenue income profit")
)
_MOST_DIGITS: Final = 15  # of the number of a telephone
_NUMBERED: Final = re.compile(r"([^\W\d_]{3,20})\.?:? ?[(+]?\d")
_AT: Final = re.compile(r"@|[\[({ ]at[\])} ]", re.IGNORECASE)

Reader = Callable[[str, Field, Context], TypedValue | None]


def typed(text: str, field: Field, context: Context) -> TypedValue | None:
    """The value a slice has for a field; None when it has none. Never raises, time is bounded.

    An array or an object has no value in one slice.
    """
    if not text.strip() or len(text) > texts.MAX_CHARACTERS:
        return None
    for transform in _transforms(field):
        if value := _READERS[transform](text, field, context):
            return value
    return None


def typed_item(text: str, field: Field, context: Context) -> TypedValue | None:
    """The value of one item of an array of scalars: its bullet or number is no part of it."""
    if field.item is None:
        return None
    plain = texts.without_marker(text)
    value = typed(plain, field.item, context)
    return value if plain == text or value is None else replace(value, transform="list_item")


def recompute(quote: str, transform: str, field: Field, context: Context) -> Any:
    """The value that a quote has by a transform; None when it has none."""
    reader = _READERS.get(transform)
    value = reader(quote, field, context) if reader else None
    return value.value if value else None


def fits(field: Field, value: Any) -> bool:
    """True if a value keeps the bounds, the length and the pattern of its field."""
    if field.const is not None and value != field.const:
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return quantities.keeps_bounds(value, field)
    if not isinstance(value, str):
        return True
    return (
        (field.min_length is None or len(value) >= field.min_length)
        and (field.max_length is None or len(value) <= field.max_length)
        and (field.pattern is None or matches(field.pattern, value))
    )


def _transforms(field: Field) -> tuple[str, ...]:
    """The transforms that may apply to a field, the most telling first."""
    if field.enum or field.const is not None:
        return ("enum",)
    if field.type in ("number", "integer"):
        return _of_number(field)
    if field.type == "boolean":
        return ("boolean",)
    return _of_text(field) if field.type == "string" else ()


def _of_number(field: Field) -> tuple[str, ...]:
    if quantities.is_price(field):
        return ("price",)
    plain = field.type
    if quantities.measures_time(field):
        return ("duration", f"bare {plain}")
    if field.unit:
        return ("unit", f"bare {plain}")
    if _YEAR & field.words and plain == "integer":
        return "bare integer", "date", plain
    return (plain,)


def _of_text(field: Field) -> tuple[str, ...]:
    if field.format in ("date", "duration"):
        return (field.format,)
    if field.format == "date-time":
        return ("datetime",)
    if field.format in ADDRESSES:
        return ("url",)
    return ("price", "text") if _CURRENCY & field.words else ("text",)


def _text(text: str, field: Field, context: Context) -> TypedValue | None:
    """The text by the least transform that leaves nothing to tidy."""
    if texts.says_nothing(text) or (_is_a(_EMAIL, field) and not _AT.search(text)):
        return None
    if _is_a(_PHONE, field) and not any(x.isdigit() for x in text):
        return None
    if is_amount(field) and not prices.may_be_amount(text):
        return None
    if _CURRENCY & field.words and any(x.isdigit() for x in text):
        return None  # a price whose sign names no currency
    for transform in ("entity",) if texts.has_markup(text) else ("none", "trim", "collapse"):
        value = _READERS[transform](text, field, context)
        if value and (transform == "entity" or value.value == _tidy(text, field)):
            is_one = accepts(field.format, value.value)
            return value if is_one and _has_pattern(field, value.value) else None
    return None


def is_amount(field: Field) -> bool:
    """True for what is asked or paid for something."""
    return _called(field) <= _AMOUNTS


def is_inexact(field: Field, quote: str) -> bool:
    """True if a text may be more than a value, with a note behind it, or two numbers to call; or
    less, as the first name of an author is."""
    if field.enum or not PROSE.isdisjoint(field.words):
        return False
    if "#author" in field.words and len(quote.split()) == 1:
        return True
    digits = sum(map(str.isdigit, quote))
    if "#phone" in field.words:
        is_several = digits > _MOST_DIGITS or sum(map(str.isalpha, quote)) > digits
    elif is_amount(field):
        is_several = prices.says_more(quote)
    else:
        is_several = any("#phone" in words(match[1]) for match in _NUMBERED.finditer(quote))
    is_doubted = "#name" not in field.words and texts.is_doubted(quote)  # The Rings: The Tower
    return is_several or is_doubted or texts.note(quote) is not None


def _is_a(thing: frozenset[str], field: Field) -> bool:
    """True for `contact_email`, and not for `email_client`."""
    return thing in (field.words, _called(field))


def _called(field: Field) -> frozenset[str]:
    """The words of the last word of its name: `fee` of `joining_fee`."""
    return words(" ".join(split(field.name)[-1:]))


def _tidy(text: str, field: Field) -> str:
    if field.format == "email":
        return places.email(text) or texts.trimmed(text)
    plain = texts.collapsed(text)
    return texts.without_by(plain) if _PEOPLE & field.words else plain


def _has_pattern(field: Field, text: str) -> bool:
    return field.pattern is None or matches(field.pattern, text)


def _none(text: str, field: Field, context: Context) -> TypedValue | None:
    return TypedValue(text, "none")


def _trim(text: str, field: Field, context: Context) -> TypedValue | None:
    plain = texts.trimmed(text)
    if field.format == "email":
        plain = places.email(text) or plain
    elif _PEOPLE & field.words:
        plain = texts.without_by(plain)
    return TypedValue(plain, "trim") if plain else None


def _collapse(text: str, field: Field, context: Context) -> TypedValue | None:
    plain = _tidy(text, field)
    return TypedValue(plain, "collapse") if plain else None


def _entity(text: str, field: Field, context: Context) -> TypedValue | None:
    plain = _tidy(texts.resolved(text), field)
    return TypedValue(plain, "entity") if plain else None


def _boolean(text: str, field: Field, context: Context) -> TypedValue | None:
    value = choices.yes_or_no(text)
    return None if value is None else TypedValue(value, "boolean")


def _enum(text: str, field: Field, context: Context) -> TypedValue | None:
    values = field.enum if field.const is None else (field.const,)
    value = choices.choose(text, values)
    return None if value is None else TypedValue(value, "enum")


def _price(text: str, field: Field, context: Context) -> TypedValue | None:
    """An amount; of a field for the currency its code."""
    if field.type != "string":
        return quantities.priced(text, field, context)
    codes = sorted(prices.codes(text, context))
    if not codes or not _has_pattern(field, codes[0]):
        return None
    return TypedValue(codes[0], "price", ambiguous=len(codes) > 1)


def _date(text: str, field: Field, context: Context) -> TypedValue | None:
    read = moment(text, context)
    if read is None:
        return None
    value = read.at.year if field.type == "integer" else read.at.date().isoformat()
    return TypedValue(value, "date", "day" if read.precision == "second" else read.precision,
                 read.ambiguous)  # fmt: skip


def _datetime(text: str, field: Field, context: Context) -> TypedValue | None:
    read = moment(text, context)
    if read is None:
        return None
    is_open = read.ambiguous or read.has_unknown_zone
    return TypedValue(_stamp(read), "datetime", read.precision, is_open)


def _stamp(read: Moment) -> str:
    """RFC 3339; a time without a zone counts as UTC, a date as its first moment."""
    at = read.at if read.at.tzinfo else read.at.replace(tzinfo=UTC)
    return at.isoformat().replace("+00:00", "Z")


def _duration(text: str, field: Field, context: Context) -> TypedValue | None:
    if field.type != "string":
        return quantities.lasting(text, field, context)
    stripped = text.strip()
    if accepts("duration", stripped):
        return TypedValue(stripped, "duration")
    found = durations.duration(text)
    return found and TypedValue(durations.as_iso(found[0]), "duration", ambiguous=found[1])


def _url(text: str, field: Field, context: Context) -> TypedValue | None:
    address = places.absolute(text, context.url)
    return TypedValue(address, "url") if address and _has_pattern(field, address) else None


def _list_item(text: str, field: Field, context: Context) -> TypedValue | None:
    value = typed(texts.without_marker(text), field.item or field, context)
    return value and replace(value, transform="list_item")


_READERS: Final[dict[str, Reader]] = {
    "text": _text,
    "none": _none,
    "trim": _trim,
    "collapse": _collapse,
    "entity": _entity,
    "number": quantities.number,
    "integer": quantities.number,
    "bare number": quantities.bare,
    "bare integer": quantities.bare,
    "unit": quantities.measured,
    "boolean": _boolean,
    "price": _price,
    "date": _date,
    "datetime": _datetime,
    "duration": _duration,
    "url": _url,
    "enum": _enum,
    "list_item": _list_item,
}
