"""`citegrid ask` and `citegrid search`."""

import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from citegrid.cli.command import Session, command, cursor_option, end, group
from citegrid.cli.exits import resume
from citegrid.cli.payment import max_amount_option, paid, resumed
from citegrid.cli.search import answers
from citegrid.cli.search.metadata import conditions
from citegrid.cli.terminal import line
from citegrid.cli.wait import going_on, starting, timeout_option
from citegrid.counts import counted
from citegrid.errors import Overloaded
from citegrid.nouns.pagination import LONGEST_PAGE, Page
from citegrid.nouns.search.search_results import Search, SearchEvent, SearchSummary
from citegrid.nouns.search.searches import SearchOptions

_QUESTION: tuple[Callable[[Any], Any], ...] = (
    click.argument("query", nargs=-1, required=True),
    click.option("--max-sources", type=click.IntRange(1, 20), help="Source limit. Default: 8."),
    click.option(
        "--max-excerpt-chars",
        type=click.IntRange(0, 4000),
        help="Excerpt limit per source. Default: 1200.",
    ),
    click.option(
        "--depth",
        type=click.Choice(["quick", "standard", "deep"]),
        help="How much is read. Default: standard.",
    ),
    click.option(
        "--include-domain",
        "include_domains",
        metavar="DOMAIN",
        multiple=True,
        help="Search only this domain. Repeatable.",
    ),
    click.option(
        "--exclude-domain",
        "exclude_domains",
        metavar="DOMAIN",
        multiple=True,
        help="Skip this domain. Repeatable.",
    ),
    click.option(
        "--in",
        "corpora",
        metavar="NAME",
        multiple=True,
        help="Search only this corpus. Repeatable.",
    ),
    click.option(
        "--follows",
        metavar="SEARCH_ID",
        help="Search that the question refers to: its question is searched for as well.",
    ),
    click.option(
        "--where",
        "filter",
        metavar="FIELD=VALUE",
        callback=conditions,
        multiple=True,
        help="Search only documents of yours with this metadata; also < and >. Repeatable.",
    ),
    click.option("--freshness", metavar="7d", help="Maximum page age: h, d, w, m or y."),
    click.option("--persona", "persona_id", metavar="ID", help="Persona whose memory to use."),
    click.option(
        "--idempotency-key", metavar="KEY", help="Repeating a key does not start another search."
    ),
)

UNPAID = "--pay goes without --detach, --in, --follows, --where, --persona and --idempotency-key."

sources_option = click.option(
    "--sources", is_flag=True, help="Also print all sources with their best excerpts."
)


def _question(function: Callable[..., None]) -> Callable[..., None]:
    """The question, from the arguments or, for `-`, from stdin, and its options."""

    @functools.wraps(function)
    def wrapped(session: Session, *, query: tuple[str, ...], **options: Any) -> None:
        question = sys.stdin.read() if query == ("-",) else " ".join(query)
        given = {name: value for name, value in options.items() if value not in (None, (), [])}
        function(session, query=question, **given)

    decorated: Callable[..., None] = wrapped
    for option in reversed(_QUESTION):
        decorated = option(decorated)
    return decorated


@command("ask")
@_question
@timeout_option
@sources_option
@click.option("--detach", is_flag=True, help="Print the id without waiting.")
@click.option("--pay", is_flag=True, help="Pay with a wallet, without an account.")
@max_amount_option
def ask(
    session: Session,
    *,
    query: str,
    timeout: float | None = None,
    sources: bool = False,
    detach: bool = False,
    pay: bool = False,
    max_amount: str,
    **options: Any,
) -> None:
    """Ask a question and print the answer with its sources and quotes.

    QUERY can be several words; - reads it from stdin. Ctrl-C leaves the search running. Exits with
    6 if the sources do not answer the question or disagree. --pay uses PAYER_PRIVATE_KEY and
    PAYER_RPC_URLS.
    """
    if pay:
        if detach or options.keys() - SearchOptions.__annotations__.keys():
            raise click.UsageError(UNPAID)
        bought = paid(session, query, max_amount, timeout, **options)
        end(answers.show(session.terminal, bought, sources=sources))
        return
    search_id = _created(session, query, **options)
    if detach:
        _started(session, search_id)
        return
    search = _waited(session, search_id, timeout)
    end(answers.show(session.terminal, search, sources=sources))


def _created(session: Session, query: str, **options: Any) -> str:
    with starting(session, "search list"):
        return session.client.searches.create(query, **options).id


def _started(session: Session, search_id: str) -> None:
    session.terminal.result({"id": search_id, "status": "running"}, search_id, whole=True)
    session.terminal.suggest(resume(search_id))


def _waited(session: Session, search_id: str, timeout: float | None) -> Search:
    """The finished search, with its progress shown meanwhile. Raises as `going_on`."""
    searches = session.client.searches
    with going_on(session, search_id):
        with suppress(Overloaded), session.terminal.progress("Asking") as report:
            for event in searches.events(search_id, timeout=timeout):
                if event.search is not None:
                    return event.search
                report(_progress(event))
        return searches.wait(search_id, timeout=timeout)  # without room for one more stream


def _progress(event: SearchEvent) -> str:
    if event.progress is None:
        return event.status.capitalize()
    found = counted(event.progress.sources_found, "source")
    return f"{event.progress.stage.capitalize()}, {event.progress.percent} %, {found}"


@group("search")
def search_group() -> None:
    """Start, show, wait for and cancel searches."""


@search_group.command("start")
@_question
def start(session: Session, *, query: str, **options: Any) -> None:
    """Start a search and print its id."""
    _started(session, _created(session, query, **options))


@search_group.command("get")
@click.argument("search_id")
@sources_option
def get(session: Session, search_id: str, *, sources: bool) -> None:
    """Print a search."""
    search = session.client.searches.get(search_id)
    end(answers.show(session.terminal, search, sources=sources))


@search_group.command("wait")
@click.argument("search_id")
@timeout_option
@sources_option
def wait(session: Session, search_id: str, timeout: float | None, *, sources: bool) -> None:
    """Wait for a search and print it."""
    search = _waited(session, search_id, timeout)
    end(answers.show(session.terminal, search, sources=sources))


@search_group.command("resume")
@click.argument("receipt", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@timeout_option
@sources_option
def resume_paid(session: Session, receipt: Path, timeout: float | None, *, sources: bool) -> None:
    """Wait for a paid search and print it. RECEIPT is the file that `ask --pay` named. Nothing is
    paid again.
    """
    end(answers.show(session.terminal, resumed(session, receipt, timeout), sources=sources))


@search_group.command("cancel")
@click.argument("search_id")
def cancel(session: Session, search_id: str) -> None:
    """Cancel a search. A finished search does not change."""
    search = session.client.searches.cancel(search_id)
    session.terminal.result(search, answers.state(search))


@search_group.command("list")
@click.option(
    "--status",
    type=click.Choice(["pending", "running", "completed", "failed", "cancelled"]),
    help="Only searches with this status.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Row limit.")
@cursor_option
def list_searches(session: Session, status: Any, limit: int, cursor: str | None) -> None:
    """Print your searches, newest first."""

    def read(most: int, cursor: str | None) -> Page[SearchSummary]:
        return session.client.searches.list(
            status=status, limit=min(most, LONGEST_PAGE), cursor=cursor
        )

    page = read(limit, cursor)
    for _ in range((limit - 1) // LONGEST_PAGE):
        if page.next_cursor is None:
            break
        following = read(limit - len(page), page.next_cursor)
        page = replace(following, items=page.items + following.items)
    rows = [(s.id, s.status, f"{s.created_at:%Y-%m-%d %H:%M}", line(s.query)) for s in page]
    session.terminal.page(page, ("ID", "STATUS", "CREATED", "QUERY"), rows)


@search_group.command("events")
@click.argument("search_id")
@click.option("--after", "last_event_id", metavar="ID", help="Print only later events.")
@timeout_option
def events(
    session: Session, search_id: str, last_event_id: str | None, timeout: float | None
) -> None:
    """Print the events of a search until it finishes, one per line."""
    searches = session.client.searches
    with going_on(session, search_id):
        for event in searches.events(search_id, last_event_id=last_event_id, timeout=timeout):
            if session.terminal.as_json:
                session.terminal.json(event)
            else:
                session.terminal.part(f"{event.event}\t{event.id}\t{_progress(event)}\n")
