"""An address of a page as a field of a body."""

from typing import Any

from marshmallow import ValidationError, fields

from app.engine.pages.facts.links import absolute
from app.engine.pages.site.scope import MOST_BYTES, storable


class WebUrl(fields.Str):
    """An http or https address; loads without its fragment."""

    def __init__(self, **kwargs: Any) -> None:
        metadata = {
            "format": "uri",
            "maxLength": MOST_BYTES,
            "pattern": "^https?://",
            "examples": ["https://shop.example.org/lamps"],
            **kwargs.pop("metadata", {}),
        }
        super().__init__(metadata=metadata, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        address = absolute(text, "") if len(text) <= MOST_BYTES else None
        if address is None or not storable(address) or not text.lower().startswith("http"):
            raise ValidationError("Not an http or https address of at most 2000 bytes.")
        return address
