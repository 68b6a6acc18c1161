"""The two clients of paid search: one that waits, one that is awaited."""

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Final, Generic, Self, TypeVar, Unpack

from httpx import AsyncBaseTransport, BaseTransport

from citegrid.calls import Call, Route, Watch, json_of, without_none
from citegrid.errors import InvalidArgument, UnusableAnswer
from citegrid.nouns.account.credits import BoughtCredit
from citegrid.nouns.noun import M, Noun, iteration, procedure
from citegrid.nouns.polling import until_finished
from citegrid.nouns.search.search_results import AcceptedSearch, Search, SearchEvent, Snapshot
from citegrid.nouns.search.searches import SearchOptions, search_event
from citegrid.paid.context import PaymentContext, PaymentContextInvalid
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.payment import Checkout, Facts, Order, Save
from citegrid.profiles import settings
from citegrid.profiles.credentials import Access, Credentials
from citegrid.service import Service
from citegrid.transport import address, logs
from citegrid.transport.async_runner import AsyncContext, AsyncRunner
from citegrid.transport.codec import decode, identified
from citegrid.transport.exchange import Policy, Produce, Reply, Steps
from citegrid.transport.sync_runner import SyncContext, SyncRunner

DEFAULT_POLICY: Final = Policy()
PATH: Final = "/onchain/v1/search"
SEARCH: Final = Order(Route("POST", PATH, Access.NONE))
READ: Final = Route("GET", f"{PATH}/{{search_id}}", Access.ACCOUNT)
WATCH: Final = Route("GET", f"{PATH}/{{search_id}}/events", Access.ACCOUNT)
SNAPSHOT: Final = Route("GET", f"{PATH}/{{search_id}}/sources/{{n}}/snapshot", Access.ACCOUNT)
BUY: Final = Route("POST", "/v1/credits", Access.ACCOUNT)

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
        return self._checkout.buy(SEARCH, without_none(query=query, **options), _accepted)

    @procedure
    def resume(
        self, payment_context: PaymentContext
    ) -> Steps[tuple[AcceptedSearch, PaymentContext]]:
        """Send the same payment again and get its answer; it is never charged twice."""
        return self._checkout.resume(SEARCH, payment_context, _accepted)

    @procedure
    def wait_for_search_completion(
        self, search_id: str, *, payment_context: PaymentContext, timeout: float | None = None
    ) -> Steps[Search]:
        """Wait until the search is completed, failed or cancelled. Raises StillRunning."""
        reader = yield from self._reader(search_id, payment_context)

        def read(held: float) -> Steps[Search]:
            path, query = {"search_id": search_id}, {"wait": held}
            return reader.perform(READ, Call(json_of(Search), path, query, held_seconds=held))

        return (yield from until_finished(search_id, read, reader.policy.clock, timeout))

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
        reader = yield from self._reader(search_id, payment_context)
        path = {"search_id": search_id}
        watch = Watch(search_event, "completed", search_id, path, last_event_id, timeout)
        yield from reader.watch(WATCH, watch)

    @procedure
    def snapshot(
        self, search_id: str, n: int, *, payment_context: PaymentContext
    ) -> Steps[Snapshot]:
        """The stored text of source number `n`, from which its quotes were cut."""
        reader = yield from self._reader(search_id, payment_context)
        call = Call(json_of(Snapshot), {"search_id": search_id, "n": n})
        return (yield from reader.perform(SNAPSHOT, call))

    def _reader(self, search_id: str, context: PaymentContext) -> Steps[Service]:
        """The server, asked as whoever paid; what was not answered yet is resumed first.

        Raises InvalidArgument for the context of another search, and as `resume`.
        """
        if context.access_token is None:
            _, context = yield from self._checkout.resume(SEARCH, context, _accepted)
        if context.search_id != search_id or context.base_url != self.base_url:
            raise InvalidArgument("The payment context is one of another search.")
        return Service(self.base_url, _credentials(context), self._checkout.policy)

    @procedure
    def buy_credit(
        self, amount: Decimal | str, *, access_token: str
    ) -> Steps[tuple[BoughtCredit, PaymentContext]]:
        """Buy credit, for campaigns and chats, for the account of `access_token`.

        Raises as `create_search`. Until its status is `completed`, `resume_credit` says how it
        stands.
        """
        try:
            written = f"{Decimal(amount):f}"
        except ArithmeticError:
            raise InvalidArgument("amount must be a number.") from None
        return self._checkout.buy(_credit(access_token), {"amount": written}, _bought)

    @procedure
    def resume_credit(
        self, payment_context: PaymentContext, *, access_token: str
    ) -> Steps[tuple[BoughtCredit, PaymentContext]]:
        """Send the same payment again and get its answer; it is never charged twice."""
        return self._checkout.resume(_credit(access_token), payment_context, _bought)

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


def _accepted(reply: Reply) -> tuple[AcceptedSearch, Facts]:
    answer = reply.json()
    if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
        raise UnusableAnswer("The answer lacks /access_token.")
    accepted = identified(decode(AcceptedSearch, answer.get("search")), reply.request_id)
    return accepted, {"search_id": accepted.id, "access_token": answer["access_token"]}


def _credentials(context: PaymentContext) -> Credentials:
    with suppress(ValueError, TypeError):
        return Credentials(access_token=context.access_token)
    raise PaymentContextInvalid("The payment context has no access token.")


def _credit(access_token: str) -> Order:
    """The account that gets the credit is the one whose access token is sent."""
    return Order(BUY, Credentials(access_token=access_token).headers(BUY.access))


def _bought(reply: Reply) -> tuple[BoughtCredit, Facts]:
    return json_of(BoughtCredit, inside="credit")(reply), {}


def _unsaved(_context: PaymentContext) -> None:
    """For who keeps what is returned."""


def _server(url: str | None, allow_insecure: bool) -> str:
    """The server's own address. Raises InvalidBaseUrl, UnknownProfile."""
    if url is None:
        saved = settings.resolve(allow_insecure=allow_insecure)
        url, allow_insecure = saved.base_url, saved.allow_insecure
    return address.checked(url, allow_insecure=allow_insecure).removesuffix(PATH)
