"""The first thing a new user sees done: a corpus indexed, a question answered, citations shown."""

from functools import partial
from pathlib import Path

import psycopg

from app.core import db
from app.core.config import Settings
from app.core.errors import AppError
from app.domains.corpora import service as corpora
from app.local import asking
from app.local.terminal import Terminal

CORPUS = "citegrid-docs"
QUESTION = "What happens when a worker is killed?"


def show(settings: Settings, docs: Path, terminal: Terminal) -> None:
    """Index the documentation and ask it something. Failures are told, and stop nothing."""
    try:
        _show(settings, docs, terminal)
    except (AppError, psycopg.Error) as error:
        terminal.problem(f"The first search was not shown: {error}")


def _show(settings: Settings, docs: Path, terminal: Terminal) -> None:
    with asking.database(settings):
        with db.transaction() as tx:
            if all(listed.corpus.name != CORPUS for listed in corpora.listing(tx)):
                corpora.add(tx, CORPUS, "folder", str(docs), {})
            corpora.refresh(tx, CORPUS)
        refresh = asking.wait_for(partial(corpora.last_refresh, name=CORPUS), _nothing)
        if refresh.state != "succeeded":
            terminal.problem(f"{CORPUS} was not indexed: {(refresh.error or {}).get('message')}")
            return
        terminal.done(f"Documentation indexed: {_pages()} pages")
        answered = asking.ask(settings, QUESTION, _nothing)
        terminal.done("First search answered")
        terminal.line()
        terminal.line(f"  {terminal.paint(QUESTION, 'bold')}")
        for line in asking.lines(answered):
            terminal.line(f"  {line}")


def _pages() -> int:
    with db.reading() as tx:
        return sum(listed.pages for listed in corpora.listing(tx) if listed.corpus.name == CORPUS)


def _nothing(_work: asking.Work) -> None:
    """Progress of a search that takes a blink is not worth a line."""
