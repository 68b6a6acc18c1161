"""The two clients: one that waits, one that is awaited, with the same operations."""

import copy
from collections.abc import Mapping
from typing import Final, Generic, Self, TypeVar

from httpx import AsyncBaseTransport, BaseTransport

from citegrid.nouns.account.accounts import Accounts
from citegrid.nouns.account.api_keys import ApiKeys
from citegrid.nouns.account.credits import CreditAccounts
from citegrid.nouns.account.requests import AuditEvents, Requests
from citegrid.nouns.account.tokens import SessionTokens
from citegrid.nouns.account.usage import UsageReports
from citegrid.nouns.campaigns.campaigns import Campaigns
from citegrid.nouns.campaigns.disputes import Disputes
from citegrid.nouns.campaigns.rewards import Payouts, Reputations, Rewards
from citegrid.nouns.noun import M, Noun, procedure
from citegrid.nouns.operations.alerts import Alerts
from citegrid.nouns.operations.operations import Health, Operations
from citegrid.nouns.operations.webhooks import Webhooks
from citegrid.nouns.providers.chats import Chats
from citegrid.nouns.providers.nodes import Nodes
from citegrid.nouns.providers.offers import Offers, OwnOffers
from citegrid.nouns.providers.profiles import ProviderProfile
from citegrid.nouns.providers.providers import Providers
from citegrid.nouns.providers.work import Work
from citegrid.nouns.records.jobs import Jobs
from citegrid.nouns.search.corpora import Corpora
from citegrid.nouns.search.memory import Memories
from citegrid.nouns.search.searches import Searches
from citegrid.nouns.search.sites import Sites
from citegrid.profiles import settings
from citegrid.profiles.credentials import Credentials, Tokens
from citegrid.service import Service
from citegrid.transport import address, logs
from citegrid.transport.async_runner import AsyncContext, AsyncRunner
from citegrid.transport.exchange import Policy, Steps
from citegrid.transport.raw import RawAsyncRunner, RawSyncRunner
from citegrid.transport.sync_runner import SyncContext, SyncRunner

DEFAULT_POLICY: Final = Policy()

Tr = TypeVar("Tr", bound=BaseTransport | AsyncBaseTransport)


class Api(Noun[M]):
    """Everything that the server offers, a noun each."""

    def __init__(self, service: Service, runner: M) -> None:
        super().__init__(service, runner)
        self.searches: Searches[M] = Searches(service, runner)
        self.corpora: Corpora[M] = Corpora(service, runner)
        self.sites: Sites[M] = Sites(service, runner)
        self.jobs: Jobs[M] = Jobs(service, runner)
        self.accounts: Accounts[M] = Accounts(service, runner)
        self.tokens: SessionTokens[M] = SessionTokens(service, runner)
        self.api_keys: ApiKeys[M] = ApiKeys(service, runner)
        self.credits: CreditAccounts[M] = CreditAccounts(service, runner)
        self.requests: Requests[M] = Requests(service, runner)
        self.audit_events: AuditEvents[M] = AuditEvents(service, runner)
        self.usage: UsageReports[M] = UsageReports(service, runner)
        self.provider_profile: ProviderProfile[M] = ProviderProfile(service, runner)
        self.providers: Providers[M] = Providers(service, runner)
        self.offers: Offers[M] = Offers(service, runner)
        self.own_offers: OwnOffers[M] = OwnOffers(service, runner)
        self.chats: Chats[M] = Chats(service, runner)
        self.campaigns: Campaigns[M] = Campaigns(service, runner)
        self.webhooks: Webhooks[M] = Webhooks(service, runner)
        self.alerts: Alerts[M] = Alerts(service, runner)
        self.memory: Memories[M] = Memories(service, runner)
        self.rewards: Rewards[M] = Rewards(service, runner)
        self.disputes: Disputes[M] = Disputes(service, runner)
        self.payouts: Payouts[M] = Payouts(service, runner)
        self.reputation: Reputations[M] = Reputations(service, runner)
        self.nodes: Nodes[M] = Nodes(service, runner)
        self.work: Work[M] = Work(service, runner)
        self.operations: Operations[M] = Operations(service, runner)
        self.health: Health[M] = Health(service, runner)


class _Client(Api[M], Generic[M, Tr]):
    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        profile: str | None = None,
        access_token: str | None = None,
        refresh_token: str | None = None,
        credentials: Credentials | None = None,
        policy: Policy = DEFAULT_POLICY,
        allow_insecure: bool = False,
        transport: Tr | None = None,
    ) -> None:
        logs.configure(settings.log_level())
        given = credentials
        if any(secret is not None for secret in (api_key, access_token, refresh_token)):
            given = credentials or Credentials(api_key, access_token, refresh_token)
        if base_url is None or given is None:
            saved = settings.resolve(base_url, profile, allow_insecure=allow_insecure)
            base_url, allow_insecure = saved.base_url, saved.allow_insecure
            given = given or saved.credentials
        url = address.checked(base_url, allow_insecure=allow_insecure)
        service = Service(url, given, policy, settings.product_segment())
        super().__init__(service, self._connected(url, transport))

    def _connected(self, base_url: str, transport: Tr | None) -> M:
        raise NotImplementedError

    def with_options(
        self,
        *,
        timeout: float | None = None,
        retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """A copy of the client with other options; those that are not given stay the same.

        `timeout` limits a call with all its retries, in seconds; the time of a long poll is added.
        `headers` are sent with each request; they cannot replace those of credentials and contents.
        The copy shares the session and the connections: closing one closes both. Raises
        InvalidArgument.
        """
        changed = copy.copy(self)
        service = self._service.with_options(timeout=timeout, retries=retries, headers=headers)
        Api.__init__(changed, service, self._runner)
        return changed

    @procedure
    def sign_in(self, email: str, password: str) -> Steps[Tokens]:
        """Sign in and use the tokens from now on; the client refreshes them when they expire."""
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


class Client(_Client[SyncRunner, BaseTransport], SyncContext):
    """Talks to one server and waits for its answers. Threads may share it.

    Missing arguments come from the `profile` given here or in CITEGRID_PROFILE, otherwise from
    SERVICE_BASE_URL and SERVICE_API_KEY, otherwise from what `citegrid login` saved. A credential
    is only sent to the server it belongs to. Programs that store credentials pass `credentials`
    instead of `api_key`, `access_token` and `refresh_token`; `Credentials()` sends none. Plain http
    works for this machine only, unless you set `allow_insecure`. Use it in a `with` block, or
    `close()` it. Raises InvalidBaseUrl, UnknownProfile, and ValueError for an impossible key.
    """

    @property
    def with_raw_response(self) -> Api[RawSyncRunner]:
        """The same nouns; their methods return a RawResponse."""
        return Api(self._service, RawSyncRunner(self._runner))

    def _connected(self, base_url: str, transport: BaseTransport | None) -> SyncRunner:
        return SyncRunner(base_url, transport)


class AsyncClient(_Client[AsyncRunner, AsyncBaseTransport], AsyncContext):
    """The same as `Client`; each method is awaited, each iteration is an `async for`."""

    @property
    def with_raw_response(self) -> Api[RawAsyncRunner]:
        """The same nouns; their methods return a RawResponse, awaited."""
        return Api(self._service, RawAsyncRunner(self._runner))

    def _connected(self, base_url: str, transport: AsyncBaseTransport | None) -> AsyncRunner:
        return AsyncRunner(base_url, transport)
