"""Providers as anybody sees them: published profiles with their offers."""

from citegrid.calls import Call, json_of
from citegrid.nouns.noun import M, Noun, iteration, operation
from citegrid.nouns.pagination import Page, walk
from citegrid.nouns.providers.offers import PublicOffer
from citegrid.nouns.providers.profiles import Image, Profile, image_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject
from citegrid.transport.exchange import Produce, Steps


class PublicProfile(ApiObject):
    """A published profile with one page of its published offers."""

    profile: Profile
    offers: tuple[PublicOffer, ...]
    has_more: bool
    next_cursor: str | None


class Providers(Noun[M]):
    """`client.providers`: what anybody may see, without a credential."""

    @operation("GET", "/public/providers/{handle}", Access.NONE)
    def get(self, handle: str, *, cursor: str | None = None) -> Call[PublicProfile]:
        """A published profile and one page of its offers, including offline ones."""
        return Call(json_of(PublicProfile))

    @operation("GET", "/public/providers/{handle}/avatar", Access.NONE)
    def avatar(self, handle: str) -> Call[Image]:
        """The avatar of a published profile."""
        return Call(image_of)

    @iteration
    def iterate_offers(self, handle: str) -> Produce[PublicOffer]:
        """All published offers of a provider, page after page."""

        def page(cursor: str | None) -> Steps[Page[PublicOffer]]:
            found = yield from Providers.get.steps(self, handle, cursor=cursor)
            return Page(found.offers, found.has_more, found.next_cursor, "offers")

        return walk(page)
