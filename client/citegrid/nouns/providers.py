"""Providers: who offers computers that serve models. Profiles, their avatars, and finding them."""

import base64
from dataclasses import dataclass, field
from typing import Final

from citegrid.credentials import Access
from citegrid.errors import UnusableAnswer
from citegrid.exchange import Produce, Reply, Steps
from citegrid.noun import M, Noun, iteration, operation
from citegrid.nouns.offers import Provider, PublicOffer
from citegrid.paging import Page, walk
from citegrid.service import Call, json_of

SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
)


@dataclass(frozen=True, slots=True)
class Profile(Provider):
    """The profile as its owner sees it; `published` says whether anybody else does."""

    published: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """An image as the server sent it."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, slots=True)
class PublicProfile:
    """A published profile with one page of its published offers."""

    profile: Provider
    offers: tuple[PublicOffer, ...]
    has_more: bool
    next_cursor: str | None


class ProviderProfile(Noun[M]):
    """`client.provider_profile`: your own; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/provider-profile", Access.ACCOUNT)
    def get(self) -> Call[Profile | None]:
        """Your profile, or None before one is saved."""
        return Call(into=_profile_if_saved)

    @operation("PUT", "/v1/provider-profile", Access.ACCOUNT)
    def save(
        self, display_name: str, handle: str, description: str, website: str | None, published: bool
    ) -> Call[Profile]:
        """Save all of the profile; what is left out cannot be kept.

        `display_name` has 1 to 80 characters, `handle` 3 to 40 of a-z 0-9 -, `description` up to
        160; `website` is https or None.
        """
        body = {
            "display_name": display_name,
            "handle": handle,
            "description": description,
            "website": website,
            "published": published,
        }
        return Call(into=json_of(Profile, inside="profile"), body=body)

    @operation("POST", "/v1/provider-profile/avatar", Access.ACCOUNT, repeatable=True)
    def save_avatar(self, data_url: str | None) -> Call[Profile]:
        """Save an avatar, None removes it; `avatar_data_url` makes the URL from an image."""
        return Call(into=json_of(Profile, inside="profile"), body={"data_url": data_url})

    @operation("GET", "/v1/provider-profile/avatar", Access.ACCOUNT)
    def avatar(self) -> Call[Image]:
        """Your avatar, also while the profile is not published."""
        return Call(into=_image)


class Providers(Noun[M]):
    """`client.providers`: what anybody may see, without a credential."""

    @operation("GET", "/public/providers/{handle}", Access.NONE)
    def get(self, handle: str, *, cursor: str | None = None) -> Call[PublicProfile]:
        """A published profile and one page of its offers, those that are offline too."""
        path, query = {"handle": handle}, {"cursor": cursor}
        return Call(into=json_of(PublicProfile), path=path, query=query)

    @operation("GET", "/public/providers/{handle}/avatar", Access.NONE)
    def avatar(self, handle: str) -> Call[Image]:
        """The avatar of a published profile."""
        return Call(into=_image, path={"handle": handle})

    @iteration
    def iterate_offers(self, handle: str) -> Produce[PublicOffer]:
        """All published offers of a provider, page after page."""

        def page(cursor: str | None) -> Steps[Page[PublicOffer]]:
            found = yield from Providers.get.steps(self, handle, cursor=cursor)
            return Page(found.offers, found.has_more, found.next_cursor)

        return walk(page)


def avatar_data_url(image: bytes) -> str:
    """The data URL of a PNG, JPEG or WebP image. Raises ValueError for anything else.

    The server takes images of up to 256 KiB.
    """
    for signature, media_type in SIGNATURES:
        if image.startswith(signature):
            return f"data:{media_type};base64,{base64.b64encode(image).decode()}"
    raise ValueError("An avatar is a PNG, JPEG or WebP image.")


@dataclass(frozen=True, slots=True)
class _Saved:
    profile: Profile | None


def _profile_if_saved(reply: Reply) -> Profile | None:
    return json_of(_Saved)(reply).profile


def _image(reply: Reply) -> Image:
    media_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not media_type.startswith("image/"):
        raise UnusableAnswer("The answer is no image.")
    return Image(reply.content, media_type)
