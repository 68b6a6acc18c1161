"""Access to routes: who may call each. Each view declares it; a view without a declaration serves
nobody.

Authentication runs before anything of the request is parsed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from flask import current_app, g, request

from app.core import actor, log
from app.core.errors import AppError, Forbidden, NotFound, Unauthenticated
from app.core.http.hosts import from_loopback

View = TypeVar("View", bound=Callable[..., Any])

SESSION_COOKIE: Final = "__Host-citegrid"
"""Browsers keep it for this host alone, over HTTPS or on this machine (RFC 6265bis, 4.1.3.2)."""


class ApiKeyScope(Forbidden):
    """This credential does not give access to this route. The API key lacks the scope, or the route
    requires an access token or a node token."""

    code = "api_key_scope"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose request this is. `scopes` is None for a signed-in account's access token.

    `credential_id` is the API key, or the sign-in that an access token or a browser's session
    belongs to: refreshing it gives no fresh rate limit. `node_id` is set for the token of a node;
    `operator` is the role of the account. `corpora` are those to which a key is limited, None for
    one that is not.
    """

    account_id: UUID
    credential_id: UUID
    scopes: frozenset[str] | None = None
    node_id: UUID | None = None
    operator: bool = False
    corpora: frozenset[UUID] | None = None

    @property
    def limited_key(self) -> UUID | None:
        """The key, if it is limited to some corpora; it sees only what it asked itself."""
        return None if self.corpora is None else self.credential_id


@dataclass(frozen=True, slots=True)
class Access:
    """A route's declaration. `scope` None means: access tokens only; `node`: tokens of nodes.

    A `page` is opened by the cookie of a session and by nothing else, and an API route never is;
    a public one that `greets` shows who is signed in.
    `operator` means: accounts with that role only; to others there is nothing.
    """

    public: bool
    scope: str | None = None
    node: bool = False
    page: bool = False
    greets: bool = False
    operator: bool = False


def public(view: View) -> View:
    """No credential is required, and a sent one is ignored."""
    return _declare(view, Access(public=True))


def account_only(view: View) -> View:
    """A signed-in account's access token; an API key gets 403 `api_key_scope`."""
    return _declare(view, Access(public=False))


def scoped(scope: str) -> Callable[[View], View]:
    """An API key with this scope, or the account's own access token."""
    return lambda view: _declare(view, Access(public=False, scope=scope))


def node_only(view: View) -> View:
    """The token of a node; other credentials get 403 `api_key_scope`."""
    return _declare(view, Access(public=False, node=True))


def operator_account(view: View) -> View:
    """An operator's access token; any other credential gets 404."""
    return _declare(view, Access(public=False, operator=True))


def public_page(view: View) -> View:
    """A page that is the same for everybody: the session is not looked at."""
    return _declare(view, Access(public=True, page=True))


def page(view: View) -> View:
    """A page that anybody may open; it may greet who is signed in."""
    return _declare(view, Access(public=True, page=True, greets=True))


def signed_in(view: View) -> View:
    """A page of the account that signed in; without a session, Unauthenticated."""
    return _declare(view, Access(public=False, page=True))


def operator_only(view: View) -> View:
    return _declare(view, Access(public=False, page=True, operator=True))


def _declare(view: View, access: Access) -> View:
    view.__access__ = access  # type: ignore[attr-defined]
    return view


def of_endpoint(endpoint: str) -> Access | None:
    """The declaration of the view behind a Flask endpoint, or None (a guard test fails on it)."""
    declared: Access | None = getattr(current_app.view_functions[endpoint], "__access__", None)
    return declared


def is_public(endpoint: str) -> bool:
    """True if a view asks for no credential."""
    access = of_endpoint(endpoint)
    return access is not None and access.public


def current_is_page() -> bool:
    declared = of_endpoint(request.endpoint) if request.endpoint else None
    return declared is not None and declared.page


def raises(*kinds: type[AppError]) -> Callable[[View], View]:
    """The errors a view can answer with beside those that follow from its form.

    For the interface's document; what a view raises without saying so is found by its fuzz test.
    """

    def declare(view: View) -> View:
        view.__raises__ = kinds  # type: ignore[attr-defined]
        return view

    return declare


def raised_by(endpoint: str) -> tuple[type[AppError], ...]:
    """The errors that the view behind a Flask endpoint declares with `raises`."""
    declared: tuple[type[AppError], ...] = getattr(
        current_app.view_functions[endpoint], "__raises__", ()
    )
    return declared


Authenticate = Callable[[str, bool], Caller]
"""Takes the credential, and whether it comes from this machine itself."""


@dataclass(frozen=True, slots=True)
class Doors:
    """The authenticators: of the API's credentials, of nodes' as well, of a browser's session."""

    api: Authenticate
    nodes: Authenticate
    session: Authenticate

    def check(self) -> None:
        """Before each request: find the caller, or refuse. Raises an Unauthenticated, Forbidden."""
        if request.endpoint is None:  # answers 404 or 405 by itself, as a page perhaps
            self._greet(Access(public=True, page=True, greets=True))
            return
        if request.method == "OPTIONS":
            return
        access = of_endpoint(request.endpoint)
        if access is None:
            raise AppError(why=f"{request.endpoint} declares no access")
        if access.page:
            self._greet(access)
        elif not access.public:
            _identify(self.nodes if access.node else self.api, _credential(), access)

    def _greet(self, access: Access) -> None:
        secret = request.cookies.get(SESSION_COOKIE, "")
        if access.public and not (access.greets and secret):
            return
        try:
            _identify(self.session, secret, access)
        except Unauthenticated:
            if not access.public:
                raise


def _identify(authenticate: Authenticate, credential: str, access: Access) -> None:
    g.identify = partial(authenticate, credential, from_loopback(request))
    identity: Caller = g.identify()
    g.caller = identity
    log.bind(account_id=str(identity.account_id))
    actor.become(_actor(identity, access))
    if access.operator and not (identity.operator and identity.scopes is None):
        raise NotFound
    if not _may(identity, access):
        raise ApiKeyScope


def _actor(identity: Caller, access: Access) -> actor.Actor:
    return replace(
        actor.actor(),
        kind=_kind(identity, access),
        account_id=identity.account_id,
        credential_id=identity.credential_id,
    )


def _kind(identity: Caller, access: Access) -> actor.Kind:
    if identity.node_id is not None:
        return "node"
    if access.operator:
        return "operator"
    return "session" if identity.scopes is None else "key"


def _may(identity: Caller, access: Access) -> bool:
    if access.node:
        return identity.node_id is not None
    return identity.scopes is None or access.scope in identity.scopes


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


def require_scope(scope: str, field: str) -> None:
    """For what the body names beyond its route, at the JSON pointer `field`. Raises ApiKeyScope."""
    scopes = caller().scopes
    if scopes is not None and scope not in scopes:
        raise ApiKeyScope.at(field, f"Takes an API key with the scope `{scope}`.")


def caller_or_none() -> Caller | None:
    """The caller who is signed in, on a page that anybody may open."""
    found: Caller | None = g.get("caller")
    return found
