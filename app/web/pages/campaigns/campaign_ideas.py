"""Examples of campaigns for newcomers, with their cost."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Idea:
    """Values of the form under its fields' names; `cost` says in a sentence what it comes to."""

    id: str
    title: str
    cost: str
    form: dict[str, str]


_PRICES: Final = """{
  "type": "object",
  "properties": {
    "product": {"type": "string"},
    "price": {"type": "number"},
    "currency": {"type": "string"},
    "as_of": {"type": "string", "format": "date"}
  },
  "required": ["product", "price"]
}"""

_EVENTS: Final = """{
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "place": {"type": "string"},
    "date": {"type": "string", "format": "date"}
  },
  "required": ["name", "date"]
}"""

IDEAS: Final = (
    Idea(
        "news",
        "New publications on a topic",
        "40 records at 0.2 USD: at most 8 USD. Rechecking changed pages: at most 2.4 USD a month.",
        {
            "name": "Publications on owls",
            "objective": "new publications about owls and how they live",
            "records_target": "40",
            "freshness": "30d",
            "cadence": "7d",
            "amount": "8",
        },
    ),
    Idea(
        "prices",
        "Current product prices",
        "20 records at 0.25 USD: at most 5 USD. Rechecking changed pages: at most 6.5 USD a month.",
        {
            "name": "Prices of heat pumps",
            "objective": "prices of air-to-water heat pumps with about 8 kW",
            "records_target": "20",
            "freshness": "7d",
            "cadence": "7d",
            "amount": "5",
            "schema": _PRICES,
        },
    ),
    Idea(
        "events",
        "Events with dates and places",
        "100 records at 0.1 USD: at most 10 USD. Rechecking changed pages: at most 3 USD a month.",
        {
            "name": "Conferences on data engineering",
            "objective": "conferences about data engineering in Europe, with date and place",
            "records_target": "100",
            "freshness": "30d",
            "cadence": "14d",
            "amount": "10",
            "schema": _EVENTS,
        },
    ),
)


def form_of(id: str | None) -> dict[str, str]:
    return next((idea.form for idea in IDEAS if idea.id == id), {})
