"""What a page says of other things is not said of the one it is about."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
SETTLE = "<h1>Oak settle</h1><dl><dt>Period<dd>1690<dt>Material<dd>Oak<dt>Maker<dd>unsigned</dl>"


def read(body: str, kind: str = "Lot", **fields: Any) -> dict[str, Any]:
    markup = f"<html lang=en><title>Oak settle</title><body>{body}</body></html>"
    wanted = plan({"type": "object", "title": kind, "properties": fields})
    [record] = extract(markup, "https://a.test/lots/33", wanted).records
    return record.data


@pytest.mark.parametrize(
    "heading",
    [
        "Next:", "Related items", "Ähnliche Angebote", "Voir aussi", "Muebles relacionados",
        "More lots",
    ],
)  # fmt: skip
def test_what_stands_below_a_heading_of_others_is_theirs(heading: str) -> None:
    other = f"<h2>{heading}</h2><dl><dt>Width<dd>96 cm<dt>Owner<dd>Hale Manor</dl>"
    found = read(SETTLE + other, material=TEXT, width=NUMBER, owner=TEXT)
    assert found == {"material": "Oak"}


@pytest.mark.parametrize("heading", ["Details", "More information", "Previous owners of the lot"])
def test_what_stands_below_another_heading_is_said_of_the_thing(heading: str) -> None:
    more = f"<h2>{heading}</h2><dl><dt>Width<dd>96 cm<dt>Owner<dd>Hale Manor</dl>"
    found = read(SETTLE + more, material=TEXT, width=NUMBER, owner=TEXT)
    assert found == {"material": "Oak", "width": 96, "owner": "Hale Manor"}


@pytest.mark.parametrize(
    "chest",
    [
        "<dl><dt>Period<dd>1720<dt>Material<dd>Walnut<dt>Width<dd>96 cm</dl>",
        "<ul><li><b>Period</b> 1720<li><b>Material</b> Walnut<li><b>Width</b> 96 cm</ul>",
    ],
)
def test_a_second_list_with_the_same_labels_is_of_another_thing(chest: str) -> None:
    found = read(f"{SETTLE}<h2>Walnut chest</h2>{chest}", period=TEXT, material=TEXT, width=NUMBER)
    assert found == {"period": "1690", "material": "Oak"}


def test_a_field_that_is_called_as_the_heading_is_answered_below_it() -> None:
    lots = "<h2>Related lots</h2><ul><li>Lot 34<li>Lot 35</ul>"
    found = read(SETTLE + lots, material=TEXT, related_lots={"type": "array", "items": TEXT})
    assert found["related_lots"] == ["Lot 34", "Lot 35"]
