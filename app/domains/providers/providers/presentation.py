"""Profiles and offers as their owners and as everybody sees them.

Written by hand and not by the schemas, which take several times as long for a page of 200; a test
holds the two together.
"""

from typing import Any

from app.domains.providers.providers.offer_pages import OfferPage
from app.domains.providers.providers.offer_store import OwnOffer, PublicOffer
from app.domains.providers.providers.store import Profile

OWN_AVATAR = "/v1/provider-profile/avatar"


def own_profile(profile: Profile | None) -> dict[str, Any]:
    """`{profile}`, null before there is one."""
    if profile is None:
        return {"profile": None}
    return {
        "profile": {**_fields(profile), "avatar_url": OWN_AVATAR if profile.has_avatar else None}
    }


def _fields(profile: Profile) -> dict[str, Any]:
    return {
        "display_name": profile.display_name,
        "handle": profile.handle,
        "description": profile.description,
        "website": profile.website,
        "published": profile.published,
    }


def own_offers(page: OfferPage[OwnOffer]) -> dict[str, Any]:
    return _envelope(page, [_own_offer(offer) for offer in page.offers])


def _envelope(page: OfferPage[Any], offers: list[dict[str, Any]]) -> dict[str, Any]:
    return {"offers": offers, "has_more": page.has_more, "next_cursor": page.next_cursor}


def _own_offer(offer: OwnOffer) -> dict[str, Any]:
    return {
        "offer_id": offer.id,
        "device_id": offer.device_id,
        "model": offer.model,
        "model_revision": offer.model_revision,
        "pricing_revision": offer.pricing_revision,
        "public_name": offer.public_name,
        "published": offer.published,
        "rates": {"input": offer.input_rate, "output": offer.output_rate},
        "availability": offer.availability,
        "needs_review": offer.needs_review,
    }


def public_offers(page: OfferPage[PublicOffer]) -> dict[str, Any]:
    return _envelope(page, [public_offer(offer) for offer in page.offers])


def public_profile(profile: Profile, page: OfferPage[PublicOffer]) -> dict[str, Any]:
    avatar_url = _avatar_url(profile.handle) if profile.has_avatar else None
    return {"profile": {**_fields(profile), "avatar_url": avatar_url}, **public_offers(page)}


def _avatar_url(handle: str) -> str:
    return f"/public/providers/{handle}/avatar"


def public_offer(offer: PublicOffer) -> dict[str, Any]:
    return {
        "offer_id": offer.id,
        "model": offer.model,
        "model_revision": offer.model_revision,
        "pricing_revision": offer.pricing_revision,
        "public_name": offer.public_name,
        "rates": {"input": offer.input_rate, "output": offer.output_rate},
        "availability": offer.availability,
        "provider": {
            "display_name": offer.display_name,
            "handle": offer.handle,
            "description": offer.description,
            "website": offer.website,
            "published": True,
            "avatar_url": _avatar_url(offer.handle) if offer.has_avatar else None,
        },
    }
