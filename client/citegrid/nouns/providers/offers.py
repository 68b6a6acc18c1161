"""Offers: a computer that serves a model at a price. Finding them, and publishing your own."""

from decimal import Decimal

from citegrid.calls import Call, json_of
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, every, page_of
from citegrid.nouns.providers.profiles import Profile
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject


class Rates(ApiObject):
    """USD for a million tokens."""

    input: Decimal
    output: Decimal


class PublicOffer(ApiObject):
    """A public offer, selected by `offer_id` and `pricing_revision`.

    `availability` (`available`, `busy`, `offline`) is an observation, not a reservation.
    """

    offer_id: str
    model: str
    model_revision: str
    pricing_revision: int
    public_name: str
    rates: Rates
    availability: str
    provider: Profile


class OwnOffer(ApiObject):
    """An offer as its owner sees it.

    `needs_review`: no enabled edition matches the saved revision of the model.
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

        The order holds within a page only; it is no ranking of all offers by price or speed.
        """
        return Call(page_of("offers", PublicOffer))

    iterate = every(list, "All offers for exactly this model, page after page.")

    @operation("GET", "/public/provider-offers/{offer_id}", Access.NONE)
    def get(self, offer_id: str) -> Call[PublicOffer]:
        """The current state of an offer, with the pricing revision that a selection needs."""
        return Call(json_of(PublicOffer))


class OwnOffers(Noun[M]):
    """`client.own_offers`: takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/provider-offers", Access.ACCOUNT)
    def list(self, *, cursor: str | None = None) -> Call[Page[OwnOffer]]:
        """One page of your offers, published or not."""
        return Call(page_of("offers", OwnOffer))

    iterate = every(list, "All of your offers, page after page.")

    @operation("PUT", "/v1/provider-offers/{offer_id}", Access.ACCOUNT)
    def update(self, offer_id: str, public_name: str, published: bool) -> Call[Page[OwnOffer]]:
        """Name and publish an offer; returns the first page of your offers.

        It is public only while your profile is published.
        """
        return Call(page_of("offers", OwnOffer))
