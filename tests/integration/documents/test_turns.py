"""One account's many documents beside the one of another: counted in turns, not in time."""

import pytest

from app.core import db
from app.domains.library.documents import service as documents
from app.domains.queue.jobs.dispatch import selection
from tests import builders
from tests.integration.documents.conftest import OWLS, Uploader

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


@pytest.mark.parametrize("read_before", [0, 3])
def test_one_document_is_read_in_the_second_turn_beside_forty_of_another_account(
    ada: Uploader, bob: Uploader, read_before: int
) -> None:
    many, one = ada.corpus("many"), bob.corpus("one")
    for number in range(40):
        ada.put(many, f"{number}.md", f"# Note {number}\n\nOwls sit still.\n")
    place = Place(ada)
    place.read(read_before)
    bob.put(one, "owls.md", OWLS)
    assert "one" in place.read(2)
    assert bob.ask("GET", f"{one}/documents/owls.md").get_json()["state"] == "ready"
    assert ada.ask("GET", many).get_json()["waiting"] >= 38 - read_before


def test_accounts_are_read_in_turns(ada: Uploader, bob: Uploader) -> None:
    many, few = ada.corpus("many"), bob.corpus("few")
    for number in range(12):
        ada.put(many, f"{number}.md", f"# Note {number}\n\nOwls sit still.\n")
    for number in range(4):
        bob.put(few, f"{number}.md", f"# Note {number}\n\nOwls fly.\n")
    assert Place(ada).read(8).count("few") == 4
