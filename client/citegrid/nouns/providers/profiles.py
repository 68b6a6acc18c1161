"""Profiles: who offers computers that serve models. Your own, and its avatar."""

import base64
from dataclasses import dataclass, field
from typing import Final

from citegrid.calls import Call, json_of
from citegrid.errors import InvalidArgument, UnusableAnswer
from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject
from citegrid.transport.exchange import Reply

SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
)


class Profile(ApiObject):
    """The profile of a provider, as the provider wrote it. The server does not check it.

    `avatar_url` is a path on the server, None when there is no avatar.
    """

    display_name: str
    handle: str
    description: str
    website: str | None
    published: bool
    avatar_url: str | None


class Image(ApiObject):
    """An image as the server sent it."""

    content: bytes = field(repr=False)
    media_type: str


class ProviderProfile(Noun[M]):
    """`client.provider_profile`: your own; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/provider-profile", Access.ACCOUNT)
    def get(self) -> Call[Profile | None]:
        """Your profile, or None before one is saved."""
        return Call(_profile_if_saved)

    @operation("PUT", "/v1/provider-profile", Access.ACCOUNT)
    def save(
        self, display_name: str, handle: str, description: str, website: str | None, published: bool
    ) -> Call[Profile]:
        """Save the whole profile; it replaces the previous one.

        `display_name` has 1 to 80 characters, `handle` 3 to 40 of a-z 0-9 -, `description` up to
        160; `website` is https or None.
        """
        return Call(json_of(Profile, inside="profile"))

    @operation("POST", "/v1/provider-profile/avatar", Access.ACCOUNT, repeatable=True)
    def save_avatar(self, data_url: str | None) -> Call[Profile]:
        """Save an avatar, or remove it with None; `avatar_data_url` makes the URL from an image."""
        return Call(json_of(Profile, inside="profile"))

    @operation("GET", "/v1/provider-profile/avatar", Access.ACCOUNT)
    def avatar(self) -> Call[Image]:
        """Your avatar, even if the profile is not published."""
        return Call(image_of)


def avatar_data_url(image: bytes) -> str:
    """The data URL of a PNG, JPEG or WebP image of up to 256 KiB. Raises InvalidArgument."""
    for signature, media_type in SIGNATURES:
        if image.startswith(signature):
            return f"data:{media_type};base64,{base64.b64encode(image).decode()}"
    raise InvalidArgument("An avatar is a PNG, JPEG or WebP image.")


@dataclass(frozen=True, slots=True)
class _ProfileAnswer:
    profile: Profile | None


def _profile_if_saved(reply: Reply) -> Profile | None:
    return json_of(_ProfileAnswer)(reply).profile


def image_of(reply: Reply) -> Image:
    """Reads an image. Raises UnusableAnswer."""
    media_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not media_type.startswith("image/"):
        raise UnusableAnswer("The answer is no image.")
    return Image(reply.content, media_type)
