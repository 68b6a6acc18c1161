"""The two clients of paid search: one that waits, one that is awaited."""

from types import TracebackType
from typing import Any, Final, Self

import httpx

from citegrid import address
from citegrid.awaiting import Awaiting
from citegrid.blocking import Blocking
from citegrid.exchange import Policy
from citegrid.nouns.search_results import Accepted, Search
from citegrid.paid import searching
from citegrid.paid.context import PaymentContext
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.searching import Save

DEFAULT_POLICY: Final = Policy()


class PaidClient:
    """Buys searches at one server and waits for its answers. Threads may share it.

    `onchain_base_url` is the server, or its address of paid search. Without a handler it can still
    go on with what somebody else paid for. `on_context` is called with the payment context before
    a payment leaves, and again when it was answered: store it there, for instance with
    `context.save(path)`; what it raises stops the payment.
    """

    def __init__(
        self,
        onchain_base_url: str,
        payment_handler: PaymentHandler | None = None,
        *,
        on_context: Save | None = None,
        policy: Policy = DEFAULT_POLICY,
        allow_insecure: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = _server(onchain_base_url, allow_insecure)
        self._handler, self._save, self._policy = payment_handler, on_context, policy
        self._http = httpx.Client(transport=transport, **_options(self.base_url))
        self._runner = Blocking(self._http, policy)

    def create_search(self, query: str, **options: Any) -> tuple[Accepted, PaymentContext]:
        """Pay for a search; returns it with its payment context.

        `options` are those of any search. Raises NothingPaid or ApiError if nothing was paid, and
        PaymentOutcomeUnknown, whose `context` is to be resumed, if that is uncertain.
        """
        body = searching.body_of(query, **options)
        steps = searching.create(self.base_url, self._policy, self._handler, self._save, body)
        return self._runner.run(steps)

    def resume(self, payment_context: PaymentContext) -> tuple[Accepted, PaymentContext]:
        """Send the same payment again: it gets its answer, and is never taken twice."""
        steps = searching.resume(self.base_url, self._policy, self._save, payment_context)
        return self._runner.run(steps)

    def wait_for_search_completion(
        self,
        search_id: str,
        *,
        payment_context: PaymentContext,
        timeout: float | None = None,
    ) -> Search:
        """Wait until the search is finished, in whichever way. Raises StillRunning."""
        steps = searching.wait(
            self.base_url, self._policy, self._save, search_id, payment_context, timeout
        )
        return self._runner.run(steps)

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

    def __repr__(self) -> str:
        return f"PaidClient({self.base_url!r}, {self._handler!r})"


class AsyncPaidClient:
    """The same as `PaidClient`, awaited."""

    def __init__(
        self,
        onchain_base_url: str,
        payment_handler: PaymentHandler | None = None,
        *,
        on_context: Save | None = None,
        policy: Policy = DEFAULT_POLICY,
        allow_insecure: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.base_url = _server(onchain_base_url, allow_insecure)
        self._handler, self._save, self._policy = payment_handler, on_context, policy
        self._http = httpx.AsyncClient(transport=transport, **_options(self.base_url))
        self._runner = Awaiting(self._http, policy)

    async def create_search(self, query: str, **options: Any) -> tuple[Accepted, PaymentContext]:
        """See `PaidClient.create_search`."""
        body = searching.body_of(query, **options)
        steps = searching.create(self.base_url, self._policy, self._handler, self._save, body)
        return await self._runner.run(steps)

    async def resume(self, payment_context: PaymentContext) -> tuple[Accepted, PaymentContext]:
        """See `PaidClient.resume`."""
        steps = searching.resume(self.base_url, self._policy, self._save, payment_context)
        return await self._runner.run(steps)

    async def wait_for_search_completion(
        self,
        search_id: str,
        *,
        payment_context: PaymentContext,
        timeout: float | None = None,
    ) -> Search:
        """See `PaidClient.wait_for_search_completion`."""
        steps = searching.wait(
            self.base_url, self._policy, self._save, search_id, payment_context, timeout
        )
        return await self._runner.run(steps)

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

    def __repr__(self) -> str:
        return f"AsyncPaidClient({self.base_url!r}, {self._handler!r})"


def _server(url: str, allow_insecure: bool) -> str:
    """The server's own address. Raises InvalidBaseUrl."""
    return address.checked(url, allow_insecure=allow_insecure).removesuffix(searching.PATH)


def _options(url: str) -> dict[str, Any]:
    # As for the other clients: a proxy of the environment is no way to this very machine.
    return {"follow_redirects": False, "trust_env": not address.loopback(url)}
