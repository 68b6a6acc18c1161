"""Reading what was paid for, with the client that waits and the one that is awaited."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests import builders
from tests.chains.node import Chain
from tests.integration.payments.buyers import SERVER, AsyncWire, Wire, handler_of

paid = pytest.importorskip("citegrid.paid", reason="the client is not installed with its extra")
citegrid = pytest.importorskip("citegrid")

Use = Callable[[Any], Any]
Buy = Callable[[Use], Any]


@pytest.fixture
def wire(prompt: FlaskClient) -> Iterator[Wire]:
    wire = Wire(prompt.application)
    yield wire
    wire.rpc.close()


# Both run the same steps, so that one test of a call and one of a stream are enough for the other.
ON_EITHER_CLIENT = pytest.mark.parametrize("use", ["blocking", "awaiting"], indirect=True)


@pytest.fixture
def use(request: pytest.FixtureRequest, wire: Wire, chain: Chain) -> Buy:
    """`use(lambda client: ...)` on a client; a stream of events becomes a list."""
    handler = handler_of(chain)

    def blocking(ask: Use) -> Any:
        with paid.PaidClient(SERVER, handler, transport=wire) as client:
            answer = ask(client)
            return list(answer) if hasattr(answer, "__next__") else answer

    async def awaited(ask: Use) -> Any:
        async with paid.AsyncPaidClient(SERVER, handler, transport=AsyncWire(wire)) as client:
            answer = ask(client)
            if hasattr(answer, "__aiter__"):
                return [item async for item in answer]
            return await answer

    awaiting = getattr(request, "param", "blocking") == "awaiting"
    return (lambda ask: asyncio.run(awaited(ask))) if awaiting else blocking


@pytest.fixture
def bought(use: Buy) -> tuple[Any, Any]:
    """A search and its payment context."""
    bought: tuple[Any, Any] = use(lambda client: client.create_search("How many eggs?"))
    return bought


@ON_EITHER_CLIENT
def test_events_tell_what_happens_until_the_end(
    use: Buy, bought: tuple[Any, Any], settings: Settings
) -> None:
    search, context = bought
    builders.work(settings, search.id)
    events = use(lambda client: client.events(search.id, payment_context=context))
    assert events[-1].event == "completed"
    assert events[-1].search.id == search.id


def test_a_snapshot_is_the_text_that_was_quoted(use: Buy, settings: Settings) -> None:
    builders.indexed_page("https://birds.example.org/owls", "# Owls\n\nAn owl lays four eggs.\n")
    search, context = use(lambda client: client.create_search("How many eggs does an owl lay?"))
    builders.work(settings, search.id)
    snapshot = use(lambda client: client.snapshot(search.id, 1, payment_context=context))
    assert "four eggs" in snapshot.text


def test_the_context_of_another_search_reads_nothing(use: Buy, bought: tuple[Any, Any]) -> None:
    with pytest.raises(citegrid.InvalidArgument):
        use(lambda c: c.wait_for_search_completion("srch_other", payment_context=bought[1]))
    with pytest.raises(citegrid.InvalidArgument):
        use(lambda client: client.snapshot("srch_other", 1, payment_context=bought[1]))
    with pytest.raises(citegrid.InvalidArgument):
        use(lambda client: client.events("srch_other", payment_context=bought[1]))
