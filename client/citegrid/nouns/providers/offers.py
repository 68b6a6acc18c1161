"""Offers: a computer that serves a model at a price. Finding them, and publishing your own."""

from dataclasses import dataclass
from decimal import Decimal

from citegrid.noun import M, Noun, iteration, operation
from citegrid.nouns.providers.profiles import Profile
from citegrid.pagination import Page, page_of, walk
from citegrid.profiles.credentials import Access
from citegrid.service import Call, json_of
from citegrid.transport.codec import Answered
from citegrid.transport.exchange import Produce


@dataclass(frozen=True, slots=True)
class Rates:
    """USD for a million tokens."""

    input: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True)
class PublicOffer(Answered):
    """An offer anybody may select, by `offer_id` and `pricing_revision`.

    `availability` (`available`, `busy`, `offline`) was observed, it is no reservation.
    """

    offer_id: str
    model: str
    model_revision: str
    pricing_revision: int
    public_name: str
    rates: Rates
    availability: str
    provider: Profile


@dataclass(frozen=True, slots=True)
class OwnOffer(Answered):
    """An offer as its owner sees it.

    `needs_review`: the saved revision of the model matches no enabled edition any more.
    """

    offer_id: str
    device_id: str
    model: str
    model_revision: str
    pricing_revision: int
    public_name: str
    published: bool
    rates: Rates
    availability: str
    needs_review: bool


class Offers(Noun[M]):
    """`client.offers`: what anybody may see, without a credential."""

    @operation("GET", "/public/provider-offers", Access.NONE)
    def list(self, model: str, *, cursor: str | None = None) -> Call[Page[PublicOffer]]:
        """One page of the offers for exactly this model: available, then busy, then offline.

        Within the page only; it is no ranking of all offers by price or speed.
        """
        query = {"model": model, "cursor": cursor}
        return Call(into=page_of("offers", PublicOffer), query=query)

    @iteration
    def iterate(self, model: str) -> Produce[PublicOffer]:
        """All offers for exactly this model, page after page."""
        return walk(lambda cursor: Offers.list.steps(self, model, cursor=cursor))

    @operation("GET", "/public/provider-offers/{offer_id}", Access.NONE)
    def get(self, offer_id: str) -> Call[PublicOffer]:
        """One offer as it is now, with the pricing revision that a selection must quote."""
        return Call(into=json_of(PublicOffer), path={"offer_id": offer_id})


class OwnOffers(Noun[M]):
    """`client.own_offers`: takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/provider-offers", Access.ACCOUNT)
    def list(self, *, cursor: str | None = None) -> Call[Page[OwnOffer]]:
        """One page of your offers, published or not."""
        return Call(into=page_of("offers", OwnOffer), query={"cursor": cursor})

    @iteration
    def iterate(self) -> Produce[OwnOffer]:
        """All of your offers, page after page."""
        return walk(lambda cursor: OwnOffers.list.steps(self, cursor=cursor))

    @operation("PUT", "/v1/provider-offers/{offer_id}", Access.ACCOUNT)
    def update(self, offer_id: str, public_name: str, published: bool) -> Call[Page[OwnOffer]]:
        """Name and publish an offer; the answer is the first page of your offers, as they are now.

        It is public only while the profile is published as well.
        """
        return Call(
            into=page_of("offers", OwnOffer),
            path={"offer_id": offer_id},
            body={"public_name": public_name, "published": published},
        )
