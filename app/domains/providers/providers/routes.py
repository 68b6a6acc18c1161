"""/public/provider-…: what everybody sees; /v1/provider-…: what owners manage."""

import hashlib
from contextlib import ExitStack
from typing import Any, Final

import orjson
import psycopg
from flask import Response, g, request

from app.core import db
from app.core.errors import Overloaded
from app.core.http import Blueprint, account_only, caller, public, raises
from app.core.http.api import reply
from app.domains.providers.providers import presentation, schemas, service, store
from app.domains.providers.providers.service import ProviderProfilesUnavailable
from app.domains.providers.providers.store import Image
from app.engine.images.data_url import MOST_BYTES

discovery = Blueprint("provider-offers", __name__, description="Public providers and offers.")
management = Blueprint(
    "provider-profile", __name__, description="Your provider profile, avatar and offers."
)

STORAGE_SECONDS: Final = 1.5
"""For all a request wants of the database, so that 503 comes within 2 seconds."""
RETRY_SECONDS: Final = 2
PUBLIC_SECONDS: Final = 5
# base64 makes 4 of 3 bytes; some writers of JSON escape each slash in it.
MOST_AVATAR_BODY_BYTES: Final = MOST_BYTES * 3 // 2


def _begin(*_: Any) -> None:
    """From here on the database has so long; the caller is not even authenticated yet."""
    g.storage = ExitStack()
    g.storage.enter_context(db.within(STORAGE_SECONDS))


def _end(_error: BaseException | None) -> None:
    if storage := g.pop("storage", None):
        storage.close()


def _unavailable(error: psycopg.OperationalError) -> Any:
    why = f"{type(error).__name__}: {error}"
    return reply(ProviderProfilesUnavailable(retry_after=RETRY_SECONDS, why=why))


def _limit_body() -> None:
    if request.endpoint == "provider-profile.set_avatar":
        request.max_content_length = MOST_AVATAR_BODY_BYTES


management.before_request(_limit_body)
for _blueprint in (discovery, management):
    # The one hook of a blueprint that runs before those of the application, which authenticate.
    _blueprint.url_value_preprocessor(_begin)
    _blueprint.teardown_request(_end)
    _blueprint.register_error_handler(psycopg.OperationalError, _unavailable)


@discovery.get("/public/provider-offers", operation="discoverProviderOffers")
@public
@raises(ProviderProfilesUnavailable)
@discovery.arguments(schemas.DiscoveryIn, location="query")
@discovery.response(200, schemas.PublicOffersOut)
def discover(wanted: dict[str, Any]) -> Response:
    """List public offers of a model, 200 per page, available ones first on each page.

    Pages follow offer ids and are not a ranking. Supports `If-None-Match`.
    """
    with db.reading() as reader:
        page = service.discover(reader, wanted["model"], wanted.get("cursor"))
    return _shared(presentation.public_offers(page))


def _shared(answer: dict[str, Any]) -> Response:
    """For caches: a weak ETag (RFC 9110, section 8.8.1), since availability is of the moment."""
    text = orjson.dumps(answer)  # a page of 200 takes Python's own writer half of all the time
    response = Response(text, mimetype="application/json")
    response.headers["Cache-Control"] = f"public, max-age={PUBLIC_SECONDS}"
    response.set_etag(hashlib.blake2b(text, digest_size=16).hexdigest(), weak=True)
    response.make_conditional(request)
    return response


@discovery.get("/public/provider-offers/<string:offer_id>", operation="getProviderOffer")
@public
@raises(service.ProviderOfferUnavailable, ProviderProfilesUnavailable)
@discovery.response(200, schemas.PublicOfferSchema)
def show_offer(offer_id: str) -> Response:
    """Get a public offer with the pricing revision needed to select it."""
    with db.reading() as reader:
        offer = service.public_offer(reader, schemas.uuid(offer_id))
    return _shared(presentation.public_offer(offer))


@discovery.get("/public/providers/<string:handle>", operation="getProvider")
@public
@raises(service.ProviderNotFound, ProviderProfilesUnavailable)
@discovery.arguments(schemas.PageIn, location="query")
@discovery.response(200, schemas.PublicProfileOut)
def show_provider(wanted: dict[str, Any], handle: str) -> Response:
    """Get a public profile and its public offers, including offline ones, 200 per page."""
    with db.transaction() as tx:
        profile = service.public_profile(tx, handle)
        page = service.public_offers(tx, profile.account_id, wanted.get("cursor"))
    return _shared(presentation.public_profile(profile, page))


@discovery.get("/public/providers/<string:handle>/avatar", operation="getProviderAvatar")
@public
@raises(service.AvatarNotFound, ProviderProfilesUnavailable)
@discovery.response(200, schemas.PICTURE, content_type="image/webp")
def show_avatar(handle: str) -> Response:
    """Get the avatar of a public profile, without metadata."""
    with db.reading() as reader:
        image = service.public_avatar(reader, handle)
    response = _picture(image)
    response.headers["Cache-Control"] = f"public, max-age={PUBLIC_SECONDS}"
    return response


def _picture(image: Image) -> Response:
    """Bytes that a browser shows as a picture and as nothing else."""
    response = Response(image.data, mimetype=image.media_type)
    response.headers["Content-Security-Policy"] = "default-src 'none'"
    response.set_etag(hashlib.sha256(image.data).hexdigest())
    response.make_conditional(request)
    return response


@management.get("/v1/provider-profile", operation="getOwnProviderProfile")
@account_only
@raises(ProviderProfilesUnavailable)
@management.response(200, schemas.OwnProfileOut)
def show_profile() -> dict[str, Any]:
    """Get your profile, or null if there is none."""
    with db.reading() as reader:
        return presentation.own_profile(store.profile(reader, caller().account_id))


@management.put("/v1/provider-profile", operation="saveOwnProviderProfile")
@account_only
@raises(
    service.InvalidProfile,
    service.InvalidWebsite,
    service.ProviderHandleTaken,
    ProviderProfilesUnavailable,
)
@management.arguments(schemas.ProfileIn)
@management.response(200, schemas.OwnProfileOut)
def save_profile(body: dict[str, Any]) -> dict[str, Any]:
    """Create or replace your profile. An unpublished profile also hides your offers."""
    draft = service.draft(body)
    with db.transaction() as tx:
        return presentation.own_profile(service.save_profile(tx, caller().account_id, draft))


@management.post("/v1/provider-profile/avatar", operation="setOwnProviderAvatar")
@account_only
@raises(service.InvalidAvatar, service.ProfileRequired, Overloaded, ProviderProfilesUnavailable)
@management.arguments(schemas.AvatarIn)
@management.response(200, schemas.OwnProfileOut)
def set_avatar(body: dict[str, Any]) -> dict[str, Any]:
    """Set the avatar of your profile, or remove it with null."""
    given = body["data_url"]
    picture = None if given is None else service.read_avatar(given)
    with db.transaction() as tx:
        return presentation.own_profile(service.set_avatar(tx, caller().account_id, picture))


@management.get("/v1/provider-profile/avatar", operation="getOwnProviderAvatar")
@account_only
@raises(service.AvatarNotFound, ProviderProfilesUnavailable)
@management.response(200, schemas.PICTURE, content_type="image/png")
@management.doc(**schemas.OWN_PICTURE)
def show_own_avatar() -> Response:
    """Get your original avatar."""
    with db.reading() as reader:
        return _picture(service.own_avatar(reader, caller().account_id))


@management.get("/v1/provider-offers", operation="listOwnProviderOffers")
@account_only
@raises(ProviderProfilesUnavailable)
@management.arguments(schemas.PageIn, location="query")
@management.response(200, schemas.OwnOffersOut)
def list_offers(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your offers, including unpublished ones, 200 per page."""
    with db.reading() as reader:
        page = service.own_offers(reader, caller().account_id, wanted.get("cursor"))
    return presentation.own_offers(page)


@management.put("/v1/provider-offers/<string:offer_id>", operation="updateOwnProviderOffer")
@account_only
@raises(
    service.InvalidOfferName,
    service.OfferNotFound,
    service.ProfileRequired,
    ProviderProfilesUnavailable,
)
@management.arguments(schemas.OfferIn)
@management.response(200, schemas.OwnOffersOut)
def change_offer(body: dict[str, Any], offer_id: str) -> dict[str, Any]:
    """Name, publish or unpublish an offer. Returns the first page of your offers."""
    name = service.offer_name(body["public_name"])
    account_id = caller().account_id
    with db.transaction() as tx:
        service.change_offer(tx, account_id, schemas.uuid(offer_id), name, body["published"])
        page = service.own_offers(tx, account_id, None)
    return presentation.own_offers(page)
