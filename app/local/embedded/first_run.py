"""The first thing a new user sees done: a corpus indexed, a question answered, citations shown."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg

from app.core import db
from app.core.amounts import counted
from app.core.config.settings import Settings
from app.core.errors import AppError
from app.domains.account.accounts.sign_in import authentication, sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.library.corpora import service as corpora
from app.domains.library.corpora import store
from app.domains.library.passages.vectors import Coverage
from app.engine.semantic.embedder import embedder_for
from app.engine.semantic.embedder_choice import choose
from app.engine.semantic.inference import InferenceFailed
from app.local import questions
from app.local.database import database
from app.local.embedded import first_vectors
from app.local.terminal import Terminal
from app.local.work import wait_for

CORPUS = "citegrid-docs"
QUESTION = "What happens when a worker is killed?"
LANGUAGE = "en"  # of the documentation
# Tables of figures answer nobody's question, and hold the words of many.
REPORTS = ["explanation/*-report.md", "explanation/measurements.md"]


def promise(settings: Settings, docs: Path, *, new_database: bool) -> bool:
    """Have the documentation read as soon as a worker is there; whether it will be.

    Promised before anything answers, so that no search finds a server that knows of no corpus.
    Only a new database gets the corpus: once the operator has removed it, it stays removed.
    """
    with database(settings), db.transaction() as tx:
        if new_database:
            corpora.add(tx, CORPUS, "folder", str(docs), {"exclude": REPORTS})
        elif store.by_name(tx, CORPUS) is None:
            return False
        corpora.refresh(tx, CORPUS)
        return True


def entrance(settings: Settings) -> str:
    """A link that signs a browser on this machine in as the demo account, once, within a day."""
    with database(settings), db.transaction() as tx:
        secret = sessions.make_link(tx, Pepper.of(settings), authentication.make_demo(tx))
    return f"{settings.service_base_url}/enter/{secret}"


class ServiceStopped(Exception):
    """The service is to end, with its database."""


def show(settings: Settings, terminal: Terminal, stop: threading.Event) -> None:
    """Wait for the documentation and ask it something, until `stop`. Failures are told, and stop
    nothing.
    """

    def pause(seconds: float) -> None:
        if stop.wait(seconds):
            raise ServiceStopped

    try:
        with database(settings):
            _show(settings, terminal, pause)
    except ServiceStopped:
        return
    except (AppError, LookupError, psycopg.Error) as error:
        terminal.problem(f"Could not show the first search: {error}")


def _show(settings: Settings, terminal: Terminal, pause: Callable[[float], None]) -> None:
    terminal.doing("Indexing the documentation")
    refresh = wait_for(partial(corpora.last_refresh, name=CORPUS), lambda _: None, pause)
    if refresh.state != "succeeded":
        terminal.problem(f"{CORPUS} could not be indexed: {(refresh.error or {}).get('message')}")
        return
    with db.reading() as reader:
        pages = corpora.show(reader, CORPUS).pages
    terminal.done(f"Documentation indexed: {counted(pages, 'page')}")
    _embed(settings, terminal, pause)
    terminal.doing("Running a first search")
    answered = questions.ask(settings, QUESTION, lambda _: None, pause)
    terminal.done("First search answered")
    terminal.line()
    terminal.line(f"  {terminal.paint(QUESTION, 'bold')}")
    for line in questions.lines(answered):
        terminal.line(f"  {line}".rstrip())


def _embed(settings: Settings, terminal: Terminal, pause: Callable[[float], None]) -> None:
    """A first answer is by meaning, where that takes no more than some seconds."""

    def notify(so_far: Coverage) -> None:
        pause(0)
        terminal.doing(
            f"Embedding documentation: {so_far.embedded} of {so_far.understood} passages"
        )

    choice = choose(settings)
    if choice.broken:
        terminal.problem(f"Search uses words only: {choice.why}.")
    embedder = embedder_for(choice.embedders, LANGUAGE)
    if embedder is None:
        return
    terminal.doing("Embedding documentation")
    try:
        coverage = first_vectors.fill(embedder, QUESTION, notify)
    except InferenceFailed as error:
        terminal.problem(f"Search uses words only: {error}.")
        return
    rest = ", the rest in the background" if coverage.missing else ""
    terminal.done(f"Passages embedded: {coverage.embedded} of {coverage.understood}{rest}")
