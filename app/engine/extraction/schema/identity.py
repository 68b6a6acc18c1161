"""The fields that identify a record: those that another record has another value of."""

import re
from collections.abc import Sequence
from typing import Final

from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.schema.vocabulary import words

_IMAGE: Final = words("image")
_ID: Final = re.compile(
    r"(?:id|uuid|sku|gtin\d*|ean\d*|isbn\d*|mpn|asin|doi|slug|code|key|(?:product|item|order)"
    r"[_-]?(?:id|number|no|code))",
    re.IGNORECASE,
)


def identifying(fields: Sequence[Field]) -> list[Field]:
    """The fields that identify a record, surest first: addresses, ids, names, what is required."""
    texts = [field for field in fields if field.type == "string" and field.required]
    return list({field.pointer: field for field in (*telling(fields), *texts)}.values())


def telling(fields: Sequence[Field]) -> list[Field]:
    """The fields that identify a record by what they are, required or not, surest first."""
    plain = [field for field in fields if field.type in ("string", "integer")]
    return [
        *(field for field in plain if is_address(field)),
        *(field for field in plain if _ID.fullmatch(field.name) or field.format == "uuid"),
        *_names(plain),
    ]


def is_address(field: Field) -> bool:
    """True for the address of a thing; that of its picture is none."""
    return field.format in ADDRESSES and not _IMAGE & field.words


def _names(fields: Sequence[Field]) -> list[Field]:
    """The fields that are called a name or a title, required ones first."""
    called = [
        field
        for field in fields
        if field.type == "string" and not field.format and words("name") & field.words
    ]
    return sorted(called, key=lambda field: not field.required)
