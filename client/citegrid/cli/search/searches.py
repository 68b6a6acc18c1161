"""`citegrid ask` and `citegrid search`."""

import functools
import itertools
import sys
from collections.abc import Callable
from typing import Any

import click

from citegrid.cli.command import Session, command, cursor_option, end, group
from citegrid.cli.exits import Exit, resume
from citegrid.cli.payment import paid
from citegrid.cli.search import answers
from citegrid.cli.search.metadata import conditions
from citegrid.cli.terminal import line
from citegrid.errors import CitegridError, Overloaded, StillRunning
from citegrid.nouns.pagination import Page
from citegrid.nouns.search.search_results import Search, SearchEvent

_QUESTION: tuple[Callable[[Any], Any], ...] = (
    click.argument("query", nargs=-1, required=True),
    click.option("--max-sources", type=click.IntRange(1, 20), help="Source limit. Default: 8."),
    click.option(
        "--max-excerpt-chars",
        type=click.IntRange(0, 4000),
        help="Excerpt limit per source. Default: 1200.",
    ),
    click.option("--depth", type=click.Choice(["quick", "standard", "deep"])),
    click.option(
        "--include-domain",
        "include_domains",
        multiple=True,
        help="Search only this domain. Repeatable.",
    ),
    click.option(
        "--exclude-domain", "exclude_domains", multiple=True, help="Skip this domain. Repeatable."
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

sources_option = click.option(
    "--sources", is_flag=True, help="Also print all sources with their best excerpts."
)

timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Maximum wait. The search continues.",
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
@click.option("--max-amount", default="1", show_default=True, help="Maximum payment with --pay.")
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
        bought = paid(session, query, max_amount, timeout, **options)
        end(answers.show(session.terminal, bought, sources=sources))
        return
    accepted = session.client.searches.create(query, **options)
    if detach:
        _started(session, accepted.id)
        return
    search = waited(session, accepted.id, timeout)
    end(answers.show(session.terminal, search, sources=sources))


def _started(session: Session, search_id: str) -> None:
    session.terminal.result({"id": search_id, "status": "running"}, search_id, whole=True)
    session.terminal.say(f"try:  {resume(search_id)}")


def waited(session: Session, search_id: str, timeout: float | None) -> Search:
    """The finished search, with its progress shown meanwhile.

    Raises StillRunning. Interrupted, it says how to go on and raises click.exceptions.Exit.
    """
    try:
        return _followed(session, search_id, timeout)
    except KeyboardInterrupt:
        _interrupted(session, search_id)
    except StillRunning:
        raise
    except CitegridError:  # of the waiting: the search goes on
        session.terminal.say(f"to go on waiting:  citegrid search wait {search_id}")
        raise
    raise click.exceptions.Exit(Exit.INTERRUPTED)


def _followed(session: Session, search_id: str, timeout: float | None) -> Search:
    try:
        with session.terminal.progress("Asking") as report:
            for event in session.client.searches.events(search_id, timeout=timeout):
                if event.search is not None:
                    return event.search
                report(_progress(event))
    except Overloaded:
        pass  # no room for one more stream; reading goes on
    return session.client.searches.wait(search_id, timeout=timeout)


def _interrupted(session: Session, search_id: str) -> None:
    text = f"{search_id} continues in the background."
    session.terminal.problem(text, resume(search_id), code="interrupted")


def _progress(event: SearchEvent) -> str:
    if event.progress is None:
        return event.status.capitalize()
    found = event.progress.sources_found
    return f"{event.progress.stage.capitalize()}, {event.progress.percent} %, {found} sources"


@group("search")
def search_group() -> None:
    """Start, show, wait for and cancel searches."""


@search_group.command("start")
@_question
def start(session: Session, *, query: str, **options: Any) -> None:
    """Start a search and print its id."""
    _started(session, session.client.searches.create(query, **options).id)


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
    search = waited(session, search_id, timeout)
    end(answers.show(session.terminal, search, sources=sources))


@search_group.command("cancel")
@click.argument("search_id")
def cancel(session: Session, search_id: str) -> None:
    """Cancel a search. A finished search does not change."""
    search = session.client.searches.cancel(search_id)
    session.terminal.result(search, answers.state(search))


@search_group.command("list")
@click.option(
    "--status", type=click.Choice(["pending", "running", "completed", "failed", "cancelled"])
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@cursor_option
def list_searches(session: Session, status: Any, limit: int, cursor: str | None) -> None:
    """Print your searches, newest first."""
    if limit <= 200:
        page = session.client.searches.list(status=status, limit=limit, cursor=cursor)
    elif cursor is not None:
        raise click.UsageError("With --cursor, --limit cannot exceed 200.")
    else:
        found = tuple(itertools.islice(session.client.searches.iterate(status=status), limit))
        page = Page(found, len(found) == limit, next_cursor=None, name="searches")
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
    try:
        for event in session.client.searches.events(
            search_id, last_event_id=last_event_id, timeout=timeout
        ):
            if session.terminal.as_json:
                session.terminal.json(event)
            else:
                session.terminal.whole(f"{event.event}\t{event.id}\t{_progress(event)}")
                sys.stdout.flush()
    except KeyboardInterrupt:
        _interrupted(session, search_id)
        end(Exit.INTERRUPTED)
