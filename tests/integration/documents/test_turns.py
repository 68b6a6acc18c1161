"""Turns: of accounts with many documents and with one, and of those who write to one corpus."""

import threading
from collections.abc import Callable

import pytest

from app.core import db
from app.domains.library.documents import corpus_store
from app.domains.library.documents import service as documents
from app.domains.queue.jobs.dispatch import selection
from tests import builders, servers
from tests.databases import sessions_waiting
from tests.integration.documents.conftest import OWLS, Uploader, read_all, told

OWNER = """
    select own_corpora.name from documents join own_corpora on own_corpora.id = corpus_id
    where documents.id = (select (payload->>'document_id')::uuid from jobs where id = %(id)s)
    """


class Place:
    """The one place of a worker: it reads a document, and only then another is sent."""

    def __init__(self, uploader: Uploader) -> None:
        self.settings, self.last = uploader.settings, selection.NOBODY

    def read(self, most: int) -> list[str]:
        """The corpora of the documents that were read, one after the other."""
        return [self._read_one() for _ in range(most)]

    def _read_one(self) -> str:
        with db.transaction() as tx:
            choice = selection.choose(tx, documents.READ.queue, 1, 30, after=self.last)
        self.last = choice.last
        (job,) = choice.jobs
        builders.run(self.settings, [job.id])
        with db.reading() as reader:
            return str(db.value(reader, OWNER, id=job.id))


def test_accounts_are_read_in_turns(ada: Uploader, bob: Uploader) -> None:
    many, few = ada.corpus("many"), bob.corpus("few")
    for number in range(12):
        ada.put(many, f"{number}.md", f"# Note {number}\n\nOwls sit still.\n")
    for number in range(4):
        bob.put(few, f"{number}.md", f"# Note {number}\n\nOwls fly.\n")
    assert Place(ada).read(8).count("few") == 4


def put(ada: Uploader, corpus: str) -> bool:
    return ada.put(corpus, "owls.md", "# Mice").status_code == 202


def delete(ada: Uploader, corpus: str) -> bool:
    return ada.ask("DELETE", f"{corpus}/documents/owls.md").status_code == 204


def read(ada: Uploader, corpus: str) -> bool:
    read_all(ada.settings)
    return bool(ada.ask("GET", f"{corpus}/documents/owls.md").get_json()["state"] == "ready")


@pytest.mark.parametrize("write", [put, delete, read])
def test_who_waits_for_the_corpora_of_an_account_holds_none_of_its_documents(
    ada: Uploader, write: Callable[[Uploader, str], bool]
) -> None:
    corpus, written = ada.corpus(), list[bool]()
    ada.put(corpus, "owls.md", OWLS)
    writing = threading.Thread(target=lambda: written.append(write(ada, corpus)))
    with db.transaction() as tx:
        account = db.value(tx, "select account_id from own_corpora")
        corpus_store.lock(tx, account)
        writing.start()
        servers.until(sessions_waiting)
        db.run(tx, "select id from documents for update nowait")
    writing.join()
    assert written == [True]


def test_of_two_documents_that_fail_at_once_the_second_says_that_nothing_waits(
    ada: Uploader,
) -> None:
    corpus = ada.corpus()
    ada.subscribe("corpus.ready")
    reading = threading.Thread(target=read_all, args=(ada.settings,))
    ada.put(corpus, "a.md", OWLS)
    ada.put(corpus, "b.md", " ")
    with db.transaction() as tx:
        id = db.value(tx, "select id from documents where key = 'a.md'")
        account = db.value(tx, "select account_id from own_corpora")
        documents.fail(tx, account, id, 1, "cancelled")
        reading.start()
        servers.until(sessions_waiting)
    reading.join()
    assert [event["data"]["id"] for event in told()] == [corpus.rpartition("/")[2]]


def test_nothing_waits_once_the_document_that_waited_is_deleted(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.subscribe("corpus.ready")
    ada.put(corpus, "owls.md", OWLS)
    ada.ask("DELETE", f"{corpus}/documents/owls.md")
    read_all(ada.settings)
    assert [event["data"]["id"] for event in told()] == [corpus.rpartition("/")[2]]
