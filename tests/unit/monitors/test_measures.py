"""The same number in another currency, or of another unit, is a change."""

import json
from typing import Any

import pytest

from app.domains.records.monitors import comparison
from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.values.stated_measures import StatedCurrencies
from tests.plans import MINUTES, NUMBER, TEXT, plan_of

PLAN = plan_of("name", called="Product", name=TEXT, price=NUMBER, weight=NUMBER)
TIMES = plan_of(name=TEXT, duration=MINUTES, opens={"type": "string", "format": "date-time"})


def changed(before: str, now: str, wanted: Plan = PLAN) -> list[str]:
    """The fields that differ between two states of a page."""
    fields = comparison.tracked(wanted, None)
    old, new = (
        comparison.kept(wanted, fields, extract(page(rows), "https://a.test/", wanted))
        for rows in (before, now)
    )
    [*found] = comparison.changes(fields, old, new)
    return [each.pointer for change in found for each in change.fields]


def page(rows: str) -> str:
    return (
        f"<html lang=en><title>Lamp</title><body><h1>Lamp</h1><table>{rows}</table></body></html>"
    )


def row(label: str, value: str) -> str:
    return f"<tr><th>{label}</th><td>{value}</td></tr>"


@pytest.mark.parametrize(
    ("label", "before", "now"),
    [
        ("Price", "20 EUR", "20 USD"),
        ("Price", "€20", "£20"),
        ("Price", "$20", "€ 20"),
        ("Price", "<b>20</b> EUR", "<b>20</b> USD"),
        ("Weight", "5 kg", "5 lb"),
        ("Weight", "5 kg", "-5 kg"),
    ],
)
def test_another_currency_unit_or_sign_is_a_change(label: str, before: str, now: str) -> None:
    assert changed(row(label, before), row(label, now)) == [f"/{label.lower()}"]


@pytest.mark.parametrize(
    ("label", "before", "now"),
    [
        ("Price", "20 EUR", "€20"),
        ("Price", "$20", "20 USD"),
        ("Price", "20 EUR", "20"),
        ("Price", "€20", "20,00 €"),
        ("Weight", "5 kg", "5 kilograms"),
    ],
)
def test_the_same_written_otherwise_is_no_change(label: str, before: str, now: str) -> None:
    assert changed(row(label, before), row(label, now)) == []


@pytest.mark.parametrize(
    ("label", "before", "now", "fields"),
    [
        ("Duration", "60 minutes", "1 hour", []),
        ("Opens", "2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00Z", []),
        ("Opens", "2026-03-01T10:00:00+01:00", "2026-03-01T10:00:00-05:00", ["/opens"]),
    ],
)
def test_a_time_is_compared_whatever_its_unit_or_zone(
    label: str, before: str, now: str, fields: list[str]
) -> None:
    assert changed(row(label, before), row(label, now), TIMES) == fields


def stated(**offer: Any) -> str:
    script = json.dumps({"@context": "https://schema.org", "@type": "Offer", **offer})
    return f'</table><script type="application/ld+json">{script}</script><table>'


def offer(currency: str) -> str:
    return stated(name="Lamp", price=20, priceCurrency=currency) + row("Price", "20")


def item(currency: str) -> str:
    return (
        "</table><div itemscope itemtype='https://schema.org/Offer'>"
        f"<meta itemprop=priceCurrency content={currency}><b itemprop=price>20</b></div><table>"
    )


@pytest.mark.parametrize("statement", [offer, item])
def test_another_stated_currency_is_a_change_of_a_price_without_a_sign(statement: Any) -> None:
    assert changed(statement("EUR"), statement("USD")) == ["/price"]


@pytest.mark.parametrize(("currency", "fields"), [("USD", ["/price"]), ("EUR", [])])
def test_a_stated_currency_instead_of_a_sign_is_a_change_if_it_is_another(
    currency: str, fields: list[str]
) -> None:
    now = row("Price", "20") + stated(priceCurrency=currency)
    assert changed(row("Price", "€20"), now) == fields


def test_a_stated_currency_says_nothing_of_a_weight() -> None:
    before, now = (row("Weight", "5") + stated(priceCurrency=code) for code in ("EUR", "USD"))
    assert changed(before, now) == []


def test_a_state_without_stated_currencies_is_no_change() -> None:
    assert changed(row("Price", "20"), offer("USD")) == []


def test_the_currency_beside_a_price_is_its_own_and_not_that_of_another() -> None:
    currencies = StatedCurrencies(
        "/script[0]#/0/offers/priceCurrency EUR\n/script[0]#/1/offers/priceCurrency USD"
    )
    assert currencies.of("/script[0]#/1/offers/priceSpecification/price") == "USD"


def test_several_currencies_of_a_page_are_nobodys() -> None:
    currencies = StatedCurrencies("priceCurrency content EUR\nog:price:currency USD")
    assert currencies.of(None) is None
