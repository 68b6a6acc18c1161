"""The page that examples of jobs and campaigns show, and the schema, data, quote of its record."""

from hashlib import sha256
from typing import Any, Final

from app.core.http.fields import example_id

PRICE: Final = "$1,299.50"
TEXT: Final = f"Desk lamp\nPrice: {PRICE} incl. VAT"
TEXT_HASH: Final = f"sha256:{sha256(TEXT.encode()).hexdigest()}"
URL: Final = "https://shop.example.org/lamps/7"
SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number", "minimum": 0}},
    "required": ["name"],
}
DATA: Final = {"name": "Desk lamp", "price": 1299.5}
QUOTE: Final[dict[str, Any]] = {
    "pointer": "/price",
    "kind": "visible",
    "source_url": URL,
    "snapshot": example_id("snap"),
    "content_hash": TEXT_HASH,
    "fetched_at": "2026-11-20T08:00:00Z",
    "quote": PRICE,
    "start": TEXT.index(PRICE),
    "end": TEXT.index(PRICE) + len(PRICE),
    "prefix": "Price: ",
    "suffix": " incl. VAT",
    "selector": "/html/body/main/p[2]",
    "json_pointer": None,
    "method": "labels",
    "transform": "price",
    "match": "exact",
    "confidence": 0.93,
}
