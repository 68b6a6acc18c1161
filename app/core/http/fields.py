"""Marshmallow fields that take exactly one form of a value, and rows as schemas dump them."""

import re
import unicodedata
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from marshmallow import Schema, ValidationError, fields, validate

from app.core import amounts, ids
from app.core.ids import Noun

STORABLE = r"^[^\x00]*$"
"""The pattern of any text: a body with NUL in it is refused as a whole."""

OF_ITS_PARTS: Final = ...
"""As the `example` of an optional field: it is shown, made of the examples of its parts.

Examples of whole bodies are made of the `example` of each field and of all required ones.
"""

_CONTROLS = r"\x00-\x1f\x7f-\x9f"
_CONTROLS_BUT_LINES = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"


class AnswerSchema(Schema):
    """A part of answers: each of its fields is always there, so that none says it is required."""

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        field_obj.required = True


_DESCRIBING: Final = frozenset(
    {"anyOf", "default", "description", "enum", "example", "examples", "format", "pattern", "type"}
    | {"additionalProperties", "maxLength", "maxProperties", "minLength", "propertyNames"}
)


class Described(fields.Field[Any]):
    """A field that is described by keywords of JSON Schema beside marshmallow's own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        metadata = {name: kwargs.pop(name) for name in list(kwargs) if name in _DESCRIBING}
        super().__init__(*args, metadata=metadata, **kwargs)


class Str(Described, fields.Str):
    pass


class Int(Described, fields.Int):
    pass


class Float(Described, fields.Float):
    pass


class Bool(Described, fields.Bool):
    pass


class Date(Described, fields.Date):
    pass


class List(Described, fields.List[Any]):
    pass


class Nested(Described, fields.Nested):
    pass


class Dict(Described, fields.Dict):
    pass


class Raw(Described, fields.Raw):
    pass


class FullMatch(validate.Regexp):
    """Takes text that the pattern matches to its end; marshmallow lets a line break follow `$`."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self._format_error(value))
        return value


class Text(Str):
    """Trimmed text of `least` to `most` code points without control characters.

    Line breaks and tabs are text only where `lines` is set.
    """

    def __init__(self, *, least: int = 1, most: int, lines: bool = False, **kwargs: Any) -> None:
        refused = _CONTROLS_BUT_LINES if lines else _CONTROLS
        pattern = rf"^[^{refused}]*[^\s{_CONTROLS}][^{refused}]*$"
        super().__init__(minLength=least, maxLength=most, **{"pattern": pattern, **kwargs})
        self.least, self.most, self.lines = least, most, lines

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip()
        if not self.least <= len(text) <= self.most:
            raise ValidationError(f"Must have {self.least} to {self.most} characters, trimmed.")
        for character in text:
            if unicodedata.category(character) == "Cc" and not (
                self.lines and character in "\n\r\t"
            ):
                raise ValidationError("Control characters are not taken.")
        return text


class Items(List):
    """A list of `least` to `most` items. It is counted before any of them is looked at."""

    def __init__(self, item: fields.Field[Any], *, least: int = 0, most: int, **kwargs: Any):
        super().__init__(item, validate=validate.Length(least or None, most), **kwargs)
        self.most = most

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > self.most:
            raise ValidationError(f"Must have at most {self.most} items.")
        return super()._deserialize(value, attr, data, **kwargs)


class Part(Nested):
    """An object inside a body. Its members are counted before any of them is looked at."""

    MOST = 40

    def _deserialize(self, value: Any, attr: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict) and len(value) > self.MOST:
            raise ValidationError(f"Must have at most {self.MOST} members.")
        return super()._deserialize(value, attr, data, *args, **kwargs)


class Flag(Bool):
    """true or false, and nothing that looks like it."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if value is not True and value is not False:
            raise ValidationError("Not a valid boolean.")
        return bool(value)


class QueryFlag(Flag):
    """`true` or `false` in a query."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        words = {"true": True, "false": False}
        given = words.get(value, value) if isinstance(value, str) else value
        return super()._deserialize(given, attr, data, **kwargs)


class Amount(Str):
    """An amount of money as a decimal string with up to nine places: a Decimal in the code."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"pattern": amounts.PATTERN, "examples": ["12.5"], **kwargs})

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return amounts.text(value) if isinstance(value, Decimal) else value

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        written = super()._deserialize(value, attr, data, **kwargs)
        try:
            return amounts.amount(written)
        except ValueError:
            problem = "Must be digits with up to 9 decimals, as a string."
            raise ValidationError(problem) from None


class PositiveAmount(Amount):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"pattern": amounts.POSITIVE_PATTERN, **kwargs})

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        amount = super()._deserialize(value, attr, data, **kwargs)
        if not amount:
            raise ValidationError("Must be greater than 0.")
        return amount


class Token(Str):
    """The name of what amounts are counted in: `USD`, for example."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"pattern": amounts.TOKEN_PATTERN, "examples": ["USD"], **kwargs})

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        token = str(super()._deserialize(value, attr, data, **kwargs))
        if not re.fullmatch(amounts.TOKEN_PATTERN.removesuffix("$"), token, re.ASCII):
            raise ValidationError("Must be 2 to 16 capital letters and digits, a letter first.")
        return token


def id_pattern(noun: Noun) -> str:
    """The public identifiers of this noun; 128 bits leave the last character eight values."""
    return f"^{noun}_[a-z2-7]{{25}}[aeimquy4]$"


def example_id(prefix: str) -> str:
    """A public identifier as examples show it."""
    return f"{prefix}_aerxk6j2c5hnzb7qv3mfwd4lya"


class Integer(Int):
    """An integer of a JSON body. As in JSON Schema, 8.0 is one and "8" is none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        elif not isinstance(value, int):
            raise ValidationError("Not a valid integer.")
        return super()._deserialize(value, attr, data, **kwargs)


class Number(Float):
    """A number of a JSON body, between two others. "0.5" and true are none."""

    def __init__(self, least: float, most: float, *, above: bool = False, **kwargs: Any) -> None:
        """`above`: greater than `least`."""
        bounds = validate.Range(least, most, min_inclusive=not above)
        super().__init__(validate=bounds, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValidationError("Not a valid number.")
        return super()._deserialize(value, attr, data, **kwargs)


class Whole(Int):
    """An integer in a query, in plain digits: `1_0`, `+1` and digits of other scripts are none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(_plain_number(value, r"-?[0-9]{1,18}"), attr, data, **kwargs)


class Seconds(Float):
    """A decimal number in a query, in plain digits."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        plain = _plain_number(value, r"-?[0-9]{1,18}(\.[0-9]{1,18})?(e-[0-9]{1,3})?")
        return super()._deserialize(plain, attr, data, **kwargs)


def _plain_number(value: Any, form: str) -> Any:
    if not re.fullmatch(form, str(value), re.ASCII):
        raise ValidationError("Not a valid number.")
    return value


class PublicId(Str):
    """Dumps a UUID as `prefix_...`."""

    def __init__(self, noun: Noun, **kwargs: Any) -> None:
        super().__init__(**{"pattern": id_pattern(noun), **kwargs})
        self.noun = noun

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return ids.public(self.noun, value) if isinstance(value, UUID) else value


class Time(Described, fields.AwareDateTime):
    """RFC 3339 in UTC with `Z`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(default_timezone=UTC, **kwargs)

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return rfc3339(value) if isinstance(value, datetime) else value


def rfc3339(at: datetime | None) -> str | None:
    """In UTC with `Z`."""
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


class RowView:
    """A row with what is computed of it or has another name outside, for a schema to dump.

    What is `missing` is left out.
    """

    def __init__(self, row: Any, **computed: Any) -> None:
        self._row = row
        vars(self).update(computed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)
