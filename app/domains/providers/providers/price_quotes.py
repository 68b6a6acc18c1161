"""Quotes of chats: the offer as it is at this moment, with the price of its revision."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

from app.core.db import Reader, Tx, first, many, one, value, values
from app.domains.providers.providers.offer_store import AVAILABILITY

MOST_CANDIDATES: Final = 200
"""Offers of a model that an undecided chat chooses among."""


@dataclass(frozen=True, slots=True)
class PriceQuote:
    """Rates in USD per million tokens. `node_id` is None for an offer that no node made."""

    offer_id: UUID
    provider_id: UUID
    device_id: str
    model: str
    model_revision: str
    pricing_revision: int
    input_rate: Decimal
    output_rate: Decimal
    serving: bool
    availability: str
    capacity: int
    max_context: int | None

    @property
    def node_id(self) -> UUID | None:
        try:
            return UUID(self.device_id)
        except ValueError:
            return None


_QUOTE = f"""
    select offers.id as offer_id, offers.account_id as provider_id, offers.device_id, model,
           model_revision, pricing_revision, input_rate, output_rate, serving, capacity,
           max_context, {AVAILABILITY} as availability
    from provider_offers offers join provider_devices device
      on device.account_id = offers.account_id and device.device_id = offers.device_id
    """  # noqa: S608 (made of constants)

HOLD = (
    _QUOTE
    + """where offers.id = %(id)s and offers.listed
    for key share of offers for no key update of device
    """
)


def quote(tx: Tx, id: UUID) -> PriceQuote | None:
    """A public offer; it and its prices stay until the transaction ends, and nobody else accepts a
    chat for its computer meanwhile. None: there is none.
    """
    return first(tx, PriceQuote, HOLD, id=id)


_AUTO = "model = %(model)s and listed and serving and auto_eligible"
_FITS = "coalesce(max_context >= %(tokens)s, true)"
ELIGIBLE = f"""
    select * from (
        {_QUOTE} where {_AUTO} and {_FITS}
          and coalesce(input_rate <= %(input)s, true) and coalesce(output_rate <= %(output)s, true)
    ) found
    order by availability = 'offline', input_rate + output_rate, offer_id limit {MOST_CANDIDATES}
    """  # noqa: S608 (made of constants)


def eligible(
    reader: Reader, model: str, tokens: int, input: Decimal | None, output: Decimal | None
) -> list[PriceQuote]:
    """Offers of a model for undecided chats: those that are there first, then the cheapest.

    With a context of so many tokens, and rates of at most `input` and `output`.
    """
    wanted = {"model": model, "tokens": tokens, "input": input, "output": output}
    return many(reader, PriceQuote, ELIGIBLE, **wanted)


@dataclass(frozen=True, slots=True)
class LowestRates:
    """Of offers for undecided chats; None: none has the context."""

    offers: int
    input: Decimal | None
    output: Decimal | None


LOWEST = f"""
    select count(*) as offers, min(input_rate) filter (where {_FITS}) as input,
           min(output_rate) filter (where {_FITS}) as output
    from provider_offers where {_AUTO}
    """  # noqa: S608 (made of constants)


def lowest(reader: Reader, model: str, tokens: int) -> LowestRates:
    return one(reader, LowestRates, LOWEST, model=model, tokens=tokens)


MODELS = """
    with recursive found as (
        (select model from provider_offers where listed order by model limit 1)
        union all
        select (select model from provider_offers where listed and model > found.model
                order by model limit 1)
        from found where found.model is not null
    )
    select model from found where model is not null limit %(most)s
    """


def models(reader: Reader, most: int) -> list[str]:
    """The models of public offers, in order. A step of the index for each, however many offers."""
    return values(reader, MODELS, most=most)


HAS_MODEL = "select exists (select from provider_offers where model = %(model)s and listed)"


def has_model(reader: Reader, model: str) -> bool:
    """True if a public offer serves this model, or is to serve it again."""
    return bool(value(reader, HAS_MODEL, model=model))
