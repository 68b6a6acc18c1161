"""An address of a page as a field of a body."""

from typing import Any

from marshmallow import ValidationError

from app.core.http import fields
from app.engine.pages.facts.links import LONGEST, absolute
from app.engine.pages.site.scope import storable


class WebUrl(fields.Str):
    """An http or https address; loads without its fragment."""

    def __init__(self, **kwargs: Any) -> None:
        examples = ["https://shop.example.org/lamps"]
        described = {"pattern": "^https?://", "examples": examples, **kwargs}
        super().__init__(format="uri", maxLength=LONGEST, **described)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        address = absolute(text, "")
        if address is None or not storable(address) or not text.lower().startswith("http"):
            raise ValidationError("Not an http or https address of at most 2000 bytes.")
        return address
