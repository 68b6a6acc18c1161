"""The two clients: one that waits, one that is awaited, with the same operations."""

from typing import Final, Generic, TypeVar

from httpx import AsyncBaseTransport, BaseTransport

from citegrid.nouns.account.accounts import Accounts
from citegrid.nouns.account.api_keys import ApiKeys
from citegrid.nouns.account.audit_events import AuditEvents
from citegrid.nouns.account.credits import CreditAccounts
from citegrid.nouns.account.requests import Requests
from citegrid.nouns.account.tokens import SessionTokens
from citegrid.nouns.account.usage import UsageReports
from citegrid.nouns.campaigns.campaigns import Campaigns
from citegrid.nouns.campaigns.disputes import Disputes
from citegrid.nouns.campaigns.reputation import Reputations
from citegrid.nouns.campaigns.rewards import Payouts, Rewards
from citegrid.nouns.noun import M, Noun, procedure
from citegrid.nouns.operations.health import Health
from citegrid.nouns.operations.operations import Operations
from citegrid.nouns.operations.webhooks import Webhooks
from citegrid.nouns.providers.chats import Chats
from citegrid.nouns.providers.nodes import Nodes
from citegrid.nouns.providers.offers import Offers, OwnOffers
from citegrid.nouns.providers.profiles import ProviderProfile
from citegrid.nouns.providers.providers import Providers
from citegrid.nouns.providers.work import Work
from citegrid.nouns.records.jobs import Jobs
from citegrid.nouns.search.memory import Memories
from citegrid.nouns.search.searches import Searches
from citegrid.profiles import settings
from citegrid.profiles.credentials import Credentials, Tokens
from citegrid.service import Service
from citegrid.transport import address, logs
from citegrid.transport.async_runner import AsyncContext, AsyncRunner
from citegrid.transport.exchange import Policy, Steps
from citegrid.transport.sync_runner import SyncContext, SyncRunner

DEFAULT_POLICY: Final = Policy()

Tr = TypeVar("Tr", bound=BaseTransport | AsyncBaseTransport)


class _Client(Noun[M], Generic[M, Tr]):
    """Everything that the server offers, a noun each."""

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
        runner = self._connected(url, policy, transport)
        super().__init__(service, runner)
        self.searches: Searches[M] = Searches(service, runner)
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
        self.memory: Memories[M] = Memories(service, runner)
        self.rewards: Rewards[M] = Rewards(service, runner)
        self.disputes: Disputes[M] = Disputes(service, runner)
        self.payouts: Payouts[M] = Payouts(service, runner)
        self.reputation: Reputations[M] = Reputations(service, runner)
        self.nodes: Nodes[M] = Nodes(service, runner)
        self.work: Work[M] = Work(service, runner)
        self.operations: Operations[M] = Operations(service, runner)
        self.health: Health[M] = Health(service, runner)

    def _connected(self, base_url: str, policy: Policy, transport: Tr | None) -> M:
        raise NotImplementedError

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


class Client(_Client[SyncRunner, BaseTransport], SyncContext):
    """Talks to one server and waits for its answers. Threads may share it.

    What is not given is looked for: in the `profile` that is named here or by CITEGRID_PROFILE,
    else in SERVICE_BASE_URL and SERVICE_API_KEY, else in what `citegrid login` saved; and a
    credential goes only to the server it was found with. `credentials` stands for all of
    `api_key`, `access_token` and `refresh_token`, for whoever stores them; `Credentials()` is
    nobody. Plain http is for this machine only, unless `allow_insecure`. Use it in a `with` block,
    or `close()` it. Raises InvalidBaseUrl, UnknownProfile, and ValueError for an impossible key.
    """

    def _connected(
        self, base_url: str, policy: Policy, transport: BaseTransport | None
    ) -> SyncRunner:
        return SyncRunner(base_url, policy, transport)


class AsyncClient(_Client[AsyncRunner, AsyncBaseTransport], AsyncContext):
    """The same as `Client`; each method is awaited, each iteration is an `async for`."""

    def _connected(
        self, base_url: str, policy: Policy, transport: AsyncBaseTransport | None
    ) -> AsyncRunner:
        return AsyncRunner(base_url, policy, transport)
