"""The two clients: one that waits, one that is awaited, with the same operations."""

from types import TracebackType
from typing import Any, Final, Self

import httpx

from citegrid import address
from citegrid.awaiting import Awaiting
from citegrid.blocking import Blocking
from citegrid.credentials import Credentials, Tokens
from citegrid.exchange import Policy, Steps
from citegrid.noun import M, Noun, procedure
from citegrid.nouns.accounts import Accounts
from citegrid.nouns.api_keys import ApiKeys
from citegrid.nouns.health import Health
from citegrid.nouns.offers import Offers, OwnOffers
from citegrid.nouns.profiles import ProviderProfile
from citegrid.nouns.providers import Providers
from citegrid.nouns.searches import Searches
from citegrid.nouns.tokens import SessionTokens
from citegrid.service import Service

DEFAULT_POLICY: Final = Policy()


class _Nouns(Noun[M]):
    """Everything that the server offers, a noun each."""

    def __init__(self, service: Service, runner: M) -> None:
        super().__init__(service, runner)
        self.searches: Searches[M] = Searches(service, runner)
        self.accounts: Accounts[M] = Accounts(service, runner)
        self.tokens: SessionTokens[M] = SessionTokens(service, runner)
        self.api_keys: ApiKeys[M] = ApiKeys(service, runner)
        self.provider_profile: ProviderProfile[M] = ProviderProfile(service, runner)
        self.providers: Providers[M] = Providers(service, runner)
        self.offers: Offers[M] = Offers(service, runner)
        self.own_offers: OwnOffers[M] = OwnOffers(service, runner)
        self.health: Health[M] = Health(service, runner)

    @procedure
    def sign_in(self, email: str, password: str) -> Steps[Tokens]:
        """Sign in, and use the tokens from now on; they are refreshed when they expire."""
        tokens = yield from SessionTokens.create.steps(self, email, password)
        self._service.credentials.adopt(tokens)
        return tokens

    @procedure
    def sign_out(self) -> Steps[None]:
        """End the session; the client forgets its tokens."""
        yield from SessionTokens.revoke.steps(self)
        self._service.credentials.adopt(None)

    @property
    def base_url(self) -> str:
        return self._service.base_url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"


class Client(_Nouns[Blocking]):
    """Talks to one server and waits for its answers. Threads may share it.

    `credentials` stands for all of `api_key`, `access_token` and `refresh_token`, for whoever
    stores them. Plain http is for this machine only, unless `allow_insecure`. Use it in a `with`
    block, or `close()` it. Raises InvalidBaseUrl, and ValueError for an impossible key.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        access_token: str | None = None,
        refresh_token: str | None = None,
        credentials: Credentials | None = None,
        policy: Policy = DEFAULT_POLICY,
        allow_insecure: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        url = address.checked(base_url, allow_insecure=allow_insecure)
        held = credentials or Credentials(api_key, access_token, refresh_token)
        self._http = httpx.Client(transport=transport, **_options(url))
        super().__init__(Service(url, held, policy), Blocking(self._http, policy))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient(_Nouns[Awaiting]):
    """The same as `Client`; each method is awaited, each iteration is an `async for`."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        access_token: str | None = None,
        refresh_token: str | None = None,
        credentials: Credentials | None = None,
        policy: Policy = DEFAULT_POLICY,
        allow_insecure: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        url = address.checked(base_url, allow_insecure=allow_insecure)
        held = credentials or Credentials(api_key, access_token, refresh_token)
        self._http = httpx.AsyncClient(transport=transport, **_options(url))
        super().__init__(Service(url, held, policy), Awaiting(self._http, policy))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


def _options(url: str) -> dict[str, Any]:
    # A proxy of the environment would read the key on its way to this very machine in plain text.
    return {"follow_redirects": False, "trust_env": not address.loopback(url)}
