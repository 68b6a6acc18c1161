"""Offers of a model as one compares them: what a job costs, what is claimed, what was measured."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core import amounts, db
from app.domains.providers.chats import pricing
from app.domains.providers.chats.health import health
from app.domains.providers.providers.terms import OfferTerms, offer_terms
from app.web.pages.providers.offer_filters import ExampleJob, OfferQuery

WINDOW: Final = "30 d"


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer as the API shows it, with what is known of it beside its price."""

    offer: dict[str, Any]
    price: Decimal
    context: int | None
    precision: str | None
    checked: bool
    measured: dict[str, Any]

    @property
    def shown_price(self) -> str:
        return amounts.text(self.price)

    @property
    def uptime(self) -> Decimal | None:
        return uptime(self.measured)

    @property
    def first_token_ms(self) -> int | None:
        times = self.measured["first_token_ms"]
        return times["p50"] if times else None

    @property
    def speed(self) -> float | None:
        speeds = self.measured["tokens_per_second"]
        return speeds["p50"] if speeds else None


def uptime(window: dict[str, Any]) -> Decimal | None:
    """Percent of requests that the offer did not fail; None: too few to say."""
    rate = window["error_rate"]
    return None if rate is None else 100 - 100 * Decimal(str(rate))


def rows(offers: Sequence[dict[str, Any]], job: ExampleJob) -> list[OfferRow]:
    ids = [UUID(offer["offer_id"]) for offer in offers]
    with db.reading() as reader:
        terms = offer_terms(reader, ids)
        measured = health.of_month(reader, ids)
    return [
        _row(offer, job, terms.get(id), measured[id]) for id, offer in zip(ids, offers, strict=True)
    ]


def _row(
    offer: dict[str, Any],
    job: ExampleJob,
    terms: OfferTerms | None,
    measured: dict[str, Any],
) -> OfferRow:
    """`terms` is None for an offer that was taken back a moment ago."""
    return OfferRow(
        offer,
        price(offer, job),
        terms.max_context if terms else None,
        terms.precision if terms else None,
        terms.revision_enabled if terms else False,
        measured,
    )


def price(offer: dict[str, Any], job: ExampleJob) -> Decimal:
    rates = offer["rates"]
    return pricing.cost(
        job.tokens_in, job.tokens_out, Decimal(rates["input"]), Decimal(rates["output"])
    )


def chosen(candidates: Iterable[OfferRow], wanted: OfferQuery) -> list[OfferRow]:
    return ordered([row for row in candidates if _fits(row, wanted)], wanted)


def _fits(row: OfferRow, wanted: OfferQuery) -> bool:
    return (
        (row.context or 0) >= wanted.context
        and wanted.precision in (None, row.precision)
        and wanted.availability in (None, row.offer["availability"])
        and _fits_measured(row, wanted)
        and (row.checked or not wanted.checked)
    )


def _fits_measured(row: OfferRow, wanted: OfferQuery) -> bool:
    if row.uptime is None:
        return not (wanted.measured or wanted.uptime)
    return wanted.uptime is None or row.uptime >= Decimal(wanted.uptime)


def ordered(found: list[OfferRow], wanted: OfferQuery) -> list[OfferRow]:
    """Sorts the offers, the unknown last in any direction, then by price and name."""
    key = _KEYS[wanted.sort]
    by_price = sorted(found, key=lambda row: (row.price, _name(row)))
    known = [row for row in by_price if key(row) is not None]
    unknown = [row for row in by_price if key(row) is None]
    return sorted(known, key=key, reverse=wanted.descending) + unknown


def _name(row: OfferRow) -> str:
    name: str = row.offer["provider"]["display_name"]
    return name.casefold()


_KEYS: Final[dict[str, Callable[[OfferRow], Any]]] = {
    "price": lambda row: row.price,
    "provider": _name,
    "rates": lambda row: tuple(Decimal(row.offer["rates"][side]) for side in ("input", "output")),
    "first_token": lambda row: row.first_token_ms,
    "speed": lambda row: row.speed,
    "uptime": lambda row: row.uptime,
    "context": lambda row: row.context,
}

COLUMNS: Final = (
    "offer_id", "model", "model_revision", "pricing_revision", "provider", "handle", "public_name",
    "availability", "input_rate_usd_per_1m", "output_rate_usd_per_1m", "job_tokens_in",
    "job_tokens_out", "job_price_usd", "requests_30d", "uptime_percent_30d",
    "first_token_ms_p50_30d", "tokens_per_second_p50_30d", "claimed_max_context",
    "claimed_precision", "revision_enabled",
)  # fmt: skip


def cells(found: Iterable[OfferRow], job: ExampleJob) -> Iterator[Sequence[Any]]:
    """Of a file, in the order of COLUMNS."""
    for row in found:
        offer = row.offer
        yield (
            *(offer[name] for name in COLUMNS[:4]),
            offer["provider"]["display_name"],
            offer["provider"]["handle"],
            offer["public_name"],
            offer["availability"],
            offer["rates"]["input"],
            offer["rates"]["output"],
            job.tokens_in,
            job.tokens_out,
            row.price,
            row.measured["requests"],
            row.uptime,
            row.first_token_ms,
            row.speed,
            row.context,
            row.precision,
            row.checked,
        )
