"""Marshmallow fields that take exactly one form of a value."""

import unicodedata
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields

from app.core import ids


class Text(fields.Str):
    """Trimmed text of `least` to `most` code points without control characters.

    Line breaks and tabs are text only where `lines` is set.
    """

    def __init__(self, *, least: int = 1, most: int, lines: bool = False, **kwargs: Any) -> None:
        metadata = {"minLength": least, "maxLength": most, **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)
        self.least, self.most, self.lines = least, most, lines

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip()
        if not self.least <= len(text) <= self.most:
            raise ValidationError(f"Takes {self.least} to {self.most} characters, trimmed.")
        for character in text:
            if unicodedata.category(character) == "Cc" and not (
                self.lines and character in "\n\r\t"
            ):
                raise ValidationError("Control characters are not taken.")
        return text


class Flag(fields.Bool):
    """true or false, and nothing that looks like it."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if value is not True and value is not False:
            raise ValidationError("Not a valid boolean.")
        return bool(value)


class PublicId(fields.Str):
    """Dumps a UUID as `prefix_...`."""

    def __init__(self, prefix: str, **kwargs: Any) -> None:
        pattern = {"pattern": f"^{prefix}_[a-z2-7]{{26}}$", **kwargs.pop("metadata", {})}
        super().__init__(metadata=pattern, **kwargs)
        self.prefix = prefix

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return ids.public(self.prefix, value) if isinstance(value, UUID) else value


class Time(fields.AwareDateTime):
    """RFC 3339 in UTC with `Z` (contract 1)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(format="iso", default_timezone=UTC, **kwargs)

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return value
