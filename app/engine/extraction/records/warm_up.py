"""Loads what reading a page for records loads when it is first needed.

A process that reads strangers' pages can open no file and import nothing once it is confined.
"""

from babel.core import get_global

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan

_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z]"},
        "price_eur": {"type": "number", "minimum": 0},
        "published": {"type": "string", "format": "date"},
        "total_time_minutes": {"type": "integer"},
        "weight": {"type": "number", "description": "in kg"},
        "homepage": {"type": "string", "format": "uri"},
        "kind": {"enum": ["lamp", "chair"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"size": {"type": "string"}}},
        },
    },
    "required": ["name", "published"],
}
_PAGE = (
    "<html lang='en'><head><title>Lamp</title><meta property='og:title' content=Lamp>"
    '<script type="application/ld+json">{"@type": "Product", "name": "Lamp"}</script></head>'
    "<body itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>Lamp</h1><table>"
    "<tr><th>Published<td>March 5, 2021<tr><th>Price<td>12,50 €<tr><th>Weight<td>2 kg"
    "<tr><th>Total time<td>1 h 20 min<tr><th>Kind<td>Lamp<tr><th>Homepage<td>"
    "<a href='/b'>b</a></table><dl><dt>Tags<dd>oak, brass</dl>"
    "<ul><li>Size: 1<li>Size: 2<li>Size: 3</ul></body></html>"
)


def warm() -> None:
    """Load it all; afterwards nothing is opened and nothing imported."""
    get_global("all_currencies")
    extract(_PAGE, "https://example.org/a", plan(_SCHEMA))
