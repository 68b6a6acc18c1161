"""A paid search: paid for, waited for, read by whoever paid."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from citegrid.errors import InvalidArgument, UnusableAnswer
from citegrid.nouns.polling import until_finished
from citegrid.nouns.search.search_results import AcceptedSearch, Search, SearchEvent, Snapshot
from citegrid.nouns.search.searches import read_event
from citegrid.paid.context import PaymentContext, PaymentContextInvalid
from citegrid.paid.payment import Checkout, Facts, Order
from citegrid.profiles.credentials import Access, Credentials
from citegrid.service import Call, Route, Service, Watch, json_of
from citegrid.transport.codec import decode, identified
from citegrid.transport.exchange import Produce, Reply, Steps

PATH: Final = "/onchain/v1/search"
PAY: Final = Route("POST", PATH, Access.NONE)
READ: Final = Route("GET", f"{PATH}/{{search_id}}", Access.ACCOUNT)
WATCH: Final = Route("GET", f"{PATH}/{{search_id}}/events", Access.ACCOUNT)
SNAPSHOT: Final = Route("GET", f"{PATH}/{{search_id}}/sources/{{n}}/snapshot", Access.ACCOUNT)


def create(
    checkout: Checkout, body: Mapping[str, Any]
) -> Steps[tuple[AcceptedSearch, PaymentContext]]:
    """Pay for a search. Raises as `Checkout.buy`."""
    return checkout.buy(Order(PAY), body, _accepted)


def resume(
    checkout: Checkout, context: PaymentContext
) -> Steps[tuple[AcceptedSearch, PaymentContext]]:
    """Send the same payment again. Raises as `Checkout.resume`."""
    return checkout.resume(Order(PAY), context, _accepted)


def _accepted(reply: Reply) -> tuple[AcceptedSearch, Facts]:
    answer = reply.json()
    if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
        raise UnusableAnswer("The answer lacks /access_token.")
    accepted = identified(decode(AcceptedSearch, answer.get("search")), reply.request_id)
    return accepted, {"search_id": accepted.id, "access_token": answer["access_token"]}


def reader(checkout: Checkout, search_id: str, context: PaymentContext) -> Steps[Service]:
    """The server, asked as whoever paid; what was not answered yet is resumed first.

    Raises InvalidArgument for the context of another search, and as `resume`.
    """
    if context.access_token is None:
        _, context = yield from resume(checkout, context)
    if context.search_id != search_id or context.base_url != checkout.base_url:
        raise InvalidArgument("The payment context is one of another search.")
    return Service(checkout.base_url, _credentials(context), checkout.policy)


def _credentials(context: PaymentContext) -> Credentials:
    with suppress(ValueError, TypeError):
        return Credentials(access_token=context.access_token)
    raise PaymentContextInvalid("The payment context has no access token.")


def wait(reader: Service, search_id: str, timeout: float | None) -> Steps[Search]:
    """Until the search is finished, in whichever way. Raises StillRunning when the time is over."""

    def read(held: float) -> Steps[Search]:
        path, query = {"search_id": search_id}, {"wait": held}
        return reader.perform(READ, Call(json_of(Search), path, query, held_seconds=held))

    return until_finished(search_id, read, reader.policy.clock, timeout)


def events(
    reader: Service, search_id: str, last_event_id: str | None, timeout: float | None
) -> Produce[SearchEvent]:
    """Watches what happens to the search until it is finished. Raises StillRunning."""
    path = {"search_id": search_id}
    watch = Watch(read_event, "completed", search_id, path, last_event_id, timeout)
    return reader.watch(WATCH, watch)


def snapshot(reader: Service, search_id: str, n: int) -> Steps[Snapshot]:
    """The stored text of one source."""
    path = {"search_id": search_id, "n": n}
    return reader.perform(SNAPSHOT, Call(json_of(Snapshot), path))
