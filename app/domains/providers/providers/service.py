"""Providers: their profile, avatar and offers, and what everybody sees of them.

A node, or until there are nodes the operator, saves offers; their owner names and publishes them.
Public is what both flags say: the profile's and the offer's.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound, Overloaded, StorageUnavailable, required
from app.domains.account.audit.service import record_event
from app.domains.providers.providers import offer_pages, offer_store, profile_rules, store
from app.domains.providers.providers.offer_pages import OfferPage
from app.domains.providers.providers.offer_store import OwnOffer, PublicOffer
from app.domains.providers.providers.store import Image, Profile
from app.engine.images import avatar
from app.engine.images.avatar import Avatar, NoDecoder
from app.engine.images.refusal import ImageRefused

_BEFORE_ALL: Final = UUID(int=0)
_DECODER_RETRY_SECONDS: Final = 5


class InvalidProfile(Invalid):
    """A field of the profile has an invalid value; `details` names it."""

    code = "invalid_profile"


class InvalidWebsite(Invalid):
    """The website must be an https URL of at most 300 characters without credentials, or null."""

    code = "invalid_website"


class InvalidOfferName(Invalid):
    """The public name must have 1 to 60 characters without control characters."""

    code = "invalid_offer_name"


class InvalidAvatar(Invalid):
    """The avatar must be a data URL with a PNG, JPEG or WebP image of at most 262144 bytes."""

    code = "invalid_avatar"


class ProviderHandleTaken(Conflict):
    """Another profile already has this handle."""

    code = "provider_handle_taken"


class ProfileRequired(Conflict):
    """Save a profile before you publish offers or upload an avatar."""

    code = "profile_required"


class OfferNotFound(NotFound):
    """No saved offer with this id belongs to your account."""

    code = "offer_not_found"


class ProviderNotFound(NotFound):
    """No public profile has this handle."""

    code = "provider_not_found"


class ProviderOfferUnavailable(NotFound):
    """No public offer has this id."""

    code = "provider_offer_unavailable"


class AvatarNotFound(NotFound):
    """This profile has no avatar."""

    code = "avatar_not_found"


class ProviderProfilesUnavailable(StorageUnavailable):
    """Profiles and offers are temporarily unavailable."""

    code = "provider_profiles_unavailable"


@dataclass(frozen=True, slots=True)
class Draft:
    """The editable fields of a profile, checked."""

    display_name: str
    handle: str
    description: str
    website: str | None
    published: bool


def draft(fields: Mapping[str, Any]) -> Draft:
    """All five fields. Raises InvalidProfile, or InvalidWebsite when it alone is wrong."""
    kept: dict[str, Any] = {}
    problems = _problems(_PROFILE_RULES, fields, kept)
    if problems:
        raise InvalidProfile(details=problems)
    if problems := _problems({"website": profile_rules.website}, fields, kept):
        raise InvalidWebsite(details=problems)
    return Draft(**kept)


_PROFILE_RULES: Final[dict[str, Callable[[object], Any]]] = {
    "display_name": profile_rules.display_name,
    "handle": profile_rules.handle,
    "description": profile_rules.description,
    "published": profile_rules.flag,
}


def _problems(
    rules: Mapping[str, Callable[[object], Any]], fields: Mapping[str, Any], kept: dict[str, Any]
) -> list[dict[str, str]]:
    """Put what the rules give into `kept`; returns what they refuse."""
    problems = []
    for name, rule in rules.items():
        try:
            kept[name] = rule(fields[name])
        except ValueError as error:
            problems.append({"field": f"/{name}", "problem": str(error)})
    return problems


def save_profile(tx: Tx, account_id: UUID, draft: Draft) -> Profile:
    """Make or replace the account's profile. Raises ProviderHandleTaken.

    The flags of the offers stay: unpublishing hides them, publishing shows them again.
    """
    saved = required(store.save(tx, account_id, **asdict(draft)), ProviderHandleTaken)
    offer_store.list_published(tx, account_id, draft.published)
    record_event(tx, "profile.saved", saved.handle, account_id, published=draft.published)
    return saved


def unpublish(tx: Tx, account_id: UUID) -> None:
    """Hide the account's profile, if it has one, and all of its offers."""
    store.unpublish(tx, account_id)
    offer_store.list_published(tx, account_id, False)


def read_avatar(data_url: object) -> Avatar:
    """The picture in a data URL, outside transactions. Raises InvalidAvatar, Overloaded."""
    try:
        return avatar.read(data_url)
    except NoDecoder:
        raise Overloaded(retry_after=_DECODER_RETRY_SECONDS, why="no decoder of pictures") from None
    except ImageRefused as refused:
        details = [{"field": "/data_url", "problem": str(refused)}]
        raise InvalidAvatar(details=details, why=refused.reason) from None


def set_avatar(tx: Tx, account_id: UUID, picture: Avatar | None) -> Profile:
    """None removes it. Raises ProfileRequired."""
    if picture is None:
        saved = store.set_avatar(tx, account_id, None, None, None)
    else:
        saved = store.set_avatar(tx, account_id, picture.data, picture.media_type, picture.public)
    if saved is None:
        raise ProfileRequired
    return saved


def own_avatar(reader: Reader, account_id: UUID) -> Image:
    """The upload, byte for byte. Raises AvatarNotFound."""
    return required(store.avatar(reader, account_id), AvatarNotFound)


def public_avatar(reader: Reader, handle: str) -> Image:
    """The copy for everybody, of a published profile. Raises AvatarNotFound."""
    found = store.public_avatar(reader, handle) if _may_exist(handle) else None
    if found is None:
        raise AvatarNotFound
    return Image(avatar.PUBLIC_MEDIA_TYPE, found)


def _may_exist(handle: str) -> bool:
    """True if it has the form of a handle; nothing else is sent to the database."""
    try:
        return bool(profile_rules.handle(handle))
    except ValueError:
        return False


def own_offers(reader: Reader, account_id: UUID, after: UUID | None) -> OfferPage[OwnOffer]:
    """A page of all saved offers of the account, unpublished ones too."""
    return offer_pages.page(offer_store.of_account(reader, account_id, after or _BEFORE_ALL))


def offer_name(value: object) -> str:
    """The public name of an offer. Raises InvalidOfferName."""
    try:
        return profile_rules.public_name(value)
    except ValueError as error:
        details = [{"field": "/public_name", "problem": str(error)}]
        raise InvalidOfferName(details=details) from None


def change_offer(
    tx: Tx, account_id: UUID, id: UUID | None, public_name: str, published: bool
) -> None:
    """Name and publish an offer. Raises OfferNotFound, ProfileRequired."""
    profile_published = store.is_published(tx, account_id)
    if id is None or not offer_store.update(
        tx,
        account_id=account_id,
        id=id,
        public_name=public_name,
        published=published,
        listed=published and bool(profile_published),
    ):
        raise OfferNotFound
    if profile_published is None:
        raise ProfileRequired
    action = "offer.published" if published else "offer.withdrawn"
    record_event(tx, action, str(id), account_id)


# What everybody sees.


def discover(reader: Reader, model: str, after: UUID | None) -> OfferPage[PublicOffer]:
    return offer_pages.page(offer_store.listed_of_model(reader, model, after or _BEFORE_ALL))


def public_offer(reader: Reader, id: UUID | None) -> PublicOffer:
    """Raises ProviderOfferUnavailable."""
    return required(offer_store.listed(reader, id) if id else None, ProviderOfferUnavailable)


def public_profile(tx: Tx, handle: str) -> Profile:
    """Raises ProviderNotFound."""
    return required(store.published(tx, handle) if _may_exist(handle) else None, ProviderNotFound)


def public_offers(tx: Tx, account_id: UUID, after: UUID | None) -> OfferPage[PublicOffer]:
    """A page of what a provider offers to everybody, offline computers too."""
    return offer_pages.page(offer_store.listed_of_account(tx, account_id, after or _BEFORE_ALL))
