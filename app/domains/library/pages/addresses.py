"""An address of a page as a field of a body."""

from typing import Any

from marshmallow import ValidationError

from app.core.http import fields
from app.engine.pages.facts.links import absolute
from app.engine.pages.site.scope import MOST_BYTES, storable


class WebUrl(fields.Str):
    """An http or https address; loads without its fragment."""

    def __init__(self, **kwargs: Any) -> None:
        examples = ["https://shop.example.org/lamps"]
        described = {"pattern": "^https?://", "examples": examples, **kwargs}
        super().__init__(format="uri", maxLength=MOST_BYTES, **described)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        address = absolute(text, "") if len(text) <= MOST_BYTES else None
        if address is None or not storable(address) or not text.lower().startswith("http"):
            raise ValidationError("Not an http or https address of at most 2000 bytes.")
        return address
