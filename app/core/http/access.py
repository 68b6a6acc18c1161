"""Who may call a route. Each view declares it; a view without a declaration serves nobody.

Authentication runs before anything of the request is parsed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from flask import current_app, g, request

from app.core import log
from app.core.errors import AppError, Forbidden, NotFound, Unauthenticated
from app.core.http.hosts import from_loopback

View = TypeVar("View", bound=Callable[..., Any])


class ApiKeyScope(Forbidden):
    """This API key lacks the scope for this route, or the route accepts access tokens only."""

    code = "api_key_scope"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose request this is. `scopes` is None for a signed-in account's access token.

    `credential_id` is the API key, or the sign-in that an access token belongs to: refreshing it
    gives no fresh rate limit. `demo` marks the key of a local run.
    """

    account_id: UUID
    credential_id: UUID
    scopes: frozenset[str] | None = None
    demo: bool = False


@dataclass(frozen=True, slots=True)
class Access:
    """A route's declaration. `scope` None means: access tokens only."""

    public: bool
    scope: str | None = None


def public(view: View) -> View:
    """No credential is required, and a sent one is ignored."""
    return _declare(view, Access(public=True))


def account_only(view: View) -> View:
    """A signed-in account's access token; an API key gets 403 `api_key_scope`."""
    return _declare(view, Access(public=False))


def scoped(scope: str) -> Callable[[View], View]:
    """An API key with this scope, or the account's own access token."""
    return lambda view: _declare(view, Access(public=False, scope=scope))


def _declare(view: View, access: Access) -> View:
    view.__access__ = access  # type: ignore[attr-defined]
    return view


def of_endpoint(endpoint: str) -> Access | None:
    """What the view behind a Flask endpoint declares, or None (a guard test fails on it)."""
    if endpoint == "static" or endpoint.endswith(".static"):
        return Access(public=True)
    declared: Access | None = getattr(current_app.view_functions[endpoint], "__access__", None)
    return declared


def is_public(endpoint: str) -> bool:
    """Whether a view asks for no credential."""
    access = of_endpoint(endpoint)
    return access is not None and access.public


def raises(*kinds: type[AppError]) -> Callable[[View], View]:
    """The errors a view can answer with beside those that follow from its form (app.web.openapi).

    For the interface's document; what a view raises without saying so is found by its fuzz test.
    """

    def declare(view: View) -> View:
        view.__raises__ = kinds  # type: ignore[attr-defined]
        return view

    return declare


def raised_by(endpoint: str) -> tuple[type[AppError], ...]:
    """What the view behind a Flask endpoint declares with `raises`."""
    declared: tuple[type[AppError], ...] = getattr(
        current_app.view_functions[endpoint], "__raises__", ()
    )
    return declared


Authenticate = Callable[[str, bool], Caller]
"""Takes the credential, and whether it comes from this machine itself."""


def check(authenticate: Authenticate) -> None:
    """Before each request: find the caller, or refuse. Raises an Unauthenticated or Forbidden."""
    if request.endpoint is None or request.method == "OPTIONS":
        return  # an unknown address or method answers 404 or 405 by itself
    access = of_endpoint(request.endpoint)
    if access is None:
        raise AppError(why=f"{request.endpoint} declares no access")
    if access.public:
        return
    identity = authenticate(_credential(), from_loopback(request))
    g.caller = identity
    log.bind(account_id=str(identity.account_id))
    if identity.scopes is not None and access.scope not in identity.scopes:
        raise ApiKeyScope


def _credential() -> str:
    """`X-API-Key`, or the bearer of `Authorization` (RFC 6750)."""
    if key := request.headers.get("X-API-Key"):
        return key
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated(headers={"WWW-Authenticate": "Bearer"})
    return token.strip()


def caller() -> Caller:
    """The account whose credential opened this request."""
    if (found := g.get("caller")) is None:
        raise NotFound(why="a public route requires its caller")
    identified: Caller = found
    return identified
