"""Whether two texts name another currency or unit."""

import json
from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.values.measure import differ
from tests.unit.engine.extraction.reading import field, records


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("20 EUR", "20 USD", True),
        ("5 kg", "5 lb", True),
        ("5 %", "5 kg", True),
        ("¥20", "20 €", True),
        ("20 EUR", "€20", False),
        ("$20", "20 CAD", False),
        ("20", "20 EUR", False),
        ("5 min", "5 minutes", False),
        ("", "$1", False),
    ],
)
def test_measures_differ_or_may_be_the_same(one: str, other: str, differs: bool) -> None:
    assert differ([one], [other]) is differs


def test_a_unit_that_is_converted_is_no_difference() -> None:
    minutes = field("total_time", type="integer", description="in minutes")
    assert differ(["60 minutes"], ["1 hour"])
    assert not differ(["60 minutes"], ["1 hour"], minutes)


def test_a_currency_is_never_converted() -> None:
    assert differ(["20 EUR"], ["20 USD"], field("price", type="number"))


WARE = {
    "title": "Product",
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number", "description": "in USD"},
        "weight": {"type": "number", "description": "in kg"},
    },
}


def ware(currency: str, unit_code: str) -> dict[str, Any]:
    stated = {
        "@type": "Product",
        "name": "Rope",
        "offers": {"@type": "Offer", "price": "20", "priceCurrency": currency},
        "weight": {"@type": "QuantitativeValue", "value": "5", "unitCode": unit_code},
    }
    script = f"<script type=application/ld+json>{json.dumps(stated)}</script>"
    page = f"<html><head>{script}</head><body><h1>Rope</h1></body></html>"
    return extract(page, "https://shop.test/rope", plan(WARE)).records[0].data


def test_a_number_that_is_stated_in_another_currency_or_unit_is_not_shown() -> None:
    assert ware("USD", "KGM") == {"name": "Rope", "price": 20, "weight": 5}
    assert ware("EUR", "GRM") == {"name": "Rope"}


def harbours(above: str, head: str) -> list[Any]:
    rows = "".join(f"<tr><td>{name}</td><td>{n}.5</td></tr>" for n, name in enumerate("ABC"))
    table = f"<table>{above}<tr><th>Name</th><th>{head}</th></tr>{rows}</table>"
    cost = {"type": "number", "description": "in EUR"}
    found = records(f"<h1>Harbours</h1>{table}", name={"type": "string"}, cost=cost)
    return [each.get("cost") for each in found]


@pytest.mark.parametrize(
    ("above", "head"),
    [
        ("<caption>Costs in millions</caption>", "Cost"),
        ("<caption>Kosten in Tsd. EUR</caption>", "Cost"),
        ("<caption>All figures €m</caption>", "Cost"),
        ("<caption>En milliers d'euros</caption>", "Cost"),
        ("", "Cost (€m)"),
        ("", "Cost, Mio. EUR"),
    ],
)
def test_numbers_that_are_said_to_be_millions_are_no_values(above: str, head: str) -> None:
    assert harbours(above, head) == [None] * 3


@pytest.mark.parametrize("said", ["Costs in euros", "Built for 3 million", "Mrs Mio of Tsd"])
def test_a_caption_without_a_size_says_nothing(said: str) -> None:
    assert harbours(f"<caption>{said}</caption>", "Cost") == [0.5, 1.5, 2.5]


def test_a_label_may_say_the_size_behind_its_name() -> None:
    body = "<div><span>Market cost (€m)</span><span>2,340.5</span></div><p>Builder: Ada Moor</p>"
    fields = {"market_cost": {"type": "number"}, "builder": {"type": "string"}}
    assert records(f"<h1>Harbours</h1>{body}", **fields) == [{"builder": "Ada Moor"}]
