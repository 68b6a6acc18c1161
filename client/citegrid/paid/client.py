"""The two clients of paid search: one that waits, one that is awaited."""

from dataclasses import replace
from decimal import Decimal
from typing import Final, Generic, Self, TypeVar, Unpack

from httpx import AsyncBaseTransport, BaseTransport

from citegrid.nouns.account.credits import BoughtCredit
from citegrid.nouns.noun import M, Noun, iteration, procedure
from citegrid.nouns.search.search_results import AcceptedSearch, Search, SearchEvent, Snapshot
from citegrid.nouns.search.searches import SearchOptions
from citegrid.paid import credits, search
from citegrid.paid.context import PaymentContext
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.payment import Checkout, Save
from citegrid.profiles import settings
from citegrid.profiles.credentials import Credentials
from citegrid.service import Service, without_none
from citegrid.transport import address, logs
from citegrid.transport.async_runner import AsyncContext, AsyncRunner
from citegrid.transport.exchange import Policy, Produce, Steps
from citegrid.transport.sync_runner import SyncContext, SyncRunner

DEFAULT_POLICY: Final = Policy()

Tr = TypeVar("Tr", bound=BaseTransport | AsyncBaseTransport)


class _PaidClient(Noun[M], Generic[M, Tr]):
    def __init__(
        self,
        onchain_base_url: str | None = None,
        payment_handler: PaymentHandler | None = None,
        *,
        on_context: Save | None = None,
        policy: Policy = DEFAULT_POLICY,
        allow_insecure: bool = False,
        transport: Tr | None = None,
    ) -> None:
        logs.configure(settings.log_level())
        self.base_url = _server(onchain_base_url, allow_insecure)
        save = on_context or _unsaved
        self._checkout = Checkout(self.base_url, policy, payment_handler, save)
        service = Service(self.base_url, Credentials(), policy)
        super().__init__(service, self._connected(self.base_url, transport))

    def _connected(self, base_url: str, transport: Tr | None) -> M:
        raise NotImplementedError

    def _within(self, timeout: float) -> Self:
        changed = super()._within(timeout)
        changed._checkout = replace(self._checkout, policy=changed._service.policy)
        return changed

    @procedure
    def create_search(
        self,
        query: str,
        **options: Unpack[SearchOptions],
    ) -> Steps[tuple[AcceptedSearch, PaymentContext]]:
        """Pay for a search; returns it with its payment context.

        The options are those of any search. Raises NothingPaid or ApiError if nothing was paid,
        and PaymentOutcomeUnknown, whose `context` is to be resumed, if that is uncertain.
        """
        body = without_none(query=query, **options)
        return search.create(self._checkout, body)

    @procedure
    def resume(
        self, payment_context: PaymentContext
    ) -> Steps[tuple[AcceptedSearch, PaymentContext]]:
        """Send the same payment again and get its answer; it is never charged twice."""
        return search.resume(self._checkout, payment_context)

    @procedure
    def wait_for_search_completion(
        self, search_id: str, *, payment_context: PaymentContext, timeout: float | None = None
    ) -> Steps[Search]:
        """Wait until the search is completed, failed or cancelled. Raises StillRunning."""
        reader = yield from search.reader(self._checkout, search_id, payment_context)
        return (yield from search.wait(reader, search_id, timeout))

    @iteration
    def events(
        self,
        search_id: str,
        *,
        payment_context: PaymentContext,
        last_event_id: str | None = None,
        timeout: float | None = None,
    ) -> Produce[SearchEvent]:
        """Events of the search until it is finished; reconnects after an interruption.

        Raises StillRunning when `timeout` seconds are over.
        """
        reader = yield from search.reader(self._checkout, search_id, payment_context)
        yield from search.events(reader, search_id, last_event_id, timeout)

    @procedure
    def snapshot(
        self, search_id: str, n: int, *, payment_context: PaymentContext
    ) -> Steps[Snapshot]:
        """The stored text of source number `n`, from which its quotes were cut."""
        reader = yield from search.reader(self._checkout, search_id, payment_context)
        return (yield from search.snapshot(reader, search_id, n))

    @procedure
    def buy_credit(
        self, amount: Decimal | str, *, access_token: str
    ) -> Steps[tuple[BoughtCredit, PaymentContext]]:
        """Buy credit, for campaigns and chats, for the account of `access_token`.

        Raises as `create_search`. Until its status is `completed`, `resume_credit` says how it
        stands.
        """
        return credits.buy(self._checkout, amount, access_token)

    @procedure
    def resume_credit(
        self, payment_context: PaymentContext, *, access_token: str
    ) -> Steps[tuple[BoughtCredit, PaymentContext]]:
        """Send the same payment again and get its answer; it is never charged twice."""
        return credits.resume(self._checkout, payment_context, access_token)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, {self._checkout.handler!r})"


class PaidClient(_PaidClient[SyncRunner, BaseTransport], SyncContext):
    """Buys searches at one server and waits for its answers. Threads may share it.

    `onchain_base_url` is the server, or its address of paid search; else it is looked for as
    `Client` does. Without a handler it can still read what another client paid for. `on_context` is
    called with the payment context before a payment leaves, and again when it was answered: store
    it there, for instance with `context.save(path)`; what it raises stops the payment.
    """

    def _connected(self, base_url: str, transport: BaseTransport | None) -> SyncRunner:
        return SyncRunner(base_url, transport)


class AsyncPaidClient(_PaidClient[AsyncRunner, AsyncBaseTransport], AsyncContext):
    """The same as `PaidClient`, awaited; its events are an `async for`."""

    def _connected(self, base_url: str, transport: AsyncBaseTransport | None) -> AsyncRunner:
        return AsyncRunner(base_url, transport)


def _unsaved(_context: PaymentContext) -> None:
    """For who keeps what is returned."""


def _server(url: str | None, allow_insecure: bool) -> str:
    """The server's own address. Raises InvalidBaseUrl, UnknownProfile."""
    if url is None:
        saved = settings.resolve(allow_insecure=allow_insecure)
        url, allow_insecure = saved.base_url, saved.allow_insecure
    return address.checked(url, allow_insecure=allow_insecure).removesuffix(search.PATH)
