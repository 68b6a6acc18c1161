"""Nobody learns of another account's documents: not by a search, not by what it counts, nowhere."""

import io
import json
import re
from typing import Any
from uuid import UUID

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.documents import service as documents
from app.domains.library.passages import rebuild
from app.domains.library.passages.rebuild import promise
from tests import builders, remote_index
from tests.integration.documents.conftest import CORPORA, OWLS, Uploader, read_all
from tests.opensearch import StandIn

SECRET = "zanzibarite"
TEXT = f"""# The {SECRET} of barn owls

The clutch of a barn owl holds four to seven eggs, says {SECRET}. {SECRET} hatches after 30 days.
"""
QUESTION = "How many eggs does a barn owl lay?"
MADE_ANEW = re.compile(r"_[a-z2-7]{26}|\d{4}-\d\d-\d\dT[\d:.]+Z|\"seconds\": \{[^}]*\}")


@pytest.fixture
def planted(ada: Uploader) -> str:
    """A corpus of Ada's in which the secret is everywhere it can be; its address."""
    corpus = ada.corpus(SECRET)
    assert ada.upload(corpus, f"{SECRET}.md", TEXT)["state"] == "ready"
    return corpus


def told(search: dict[str, Any]) -> str:
    """All that a search says, without ids and times."""
    return MADE_ANEW.sub("", json.dumps(search, sort_keys=True))


def test_a_search_says_the_same_whatever_others_have(ada: Uploader, bob: Uploader) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)
    bob.upload(bob.corpus(), "mice.md", "# Mice\n\nA mouse of a barn lays no eggs.\n")
    asked = [QUESTION, f"What is {SECRET}?", f'"{SECRET} hatches"']
    before = [told(bob.search(question)) for question in asked]
    ada.upload(ada.corpus(SECRET), f"{SECRET}.md", TEXT)
    assert [told(bob.search(question)) for question in asked] == before


@pytest.mark.usefixtures("planted")
def test_no_answer_to_others_has_it_even_if_it_strays_into_the_shared_index(
    bob: Uploader,
) -> None:
    bob.corpus()
    answers = [
        bob.ask("GET", CORPORA),
        bob.ask("GET", "/v1/usage"),
        bob.ask("GET", "/v1/requests"),
        bob.ask("GET", "/v1/audit-events"),
        bob.ask("POST", "/external/v1/search", json={"query": QUESTION, "corpora": ["x"]}),
    ]
    assert not any(SECRET.encode() in answer.data for answer in answers)
    with db.transaction() as tx:
        tx.execute("update lexical_generations set ns = 'corpora'")
    assert bob.sources(QUESTION) == []


def test_it_is_in_no_log(ada: Uploader, bob: Uploader, log_lines: io.StringIO) -> None:
    corpus = ada.corpus(SECRET)
    ada.upload(corpus, f"{SECRET}.md", TEXT)
    ada.search(QUESTION, corpora=[SECRET])
    bob.ask("GET", f"{corpus}/documents/{SECRET}.md")
    assert "documents" in log_lines.getvalue()
    assert SECRET not in log_lines.getvalue()


@pytest.mark.usefixtures("planted")
def test_an_account_that_is_erased_leaves_nothing(settings: Settings) -> None:
    with db.transaction() as tx:
        account_id = db.value(tx, "select account_id from own_corpora")
        while documents.erase_some_of(tx, account_id):
            pass
    read_all(settings)
    with db.transaction() as tx:
        tx.execute("update snapshots set released_at = now() - interval '1 day'")
    builders.forget_expired(settings)
    tables = ("documents", "passages", "lexical_generations", "lexical_blocks", "snapshots")
    with db.reading() as reader:
        left = {table: db.value(reader, f"select count(*) from {table}") for table in tables}  # noqa: S608 (constants)
    assert left == dict.fromkeys(tables, 0)


@pytest.mark.usefixtures("planted")
def test_the_operators_index_is_rebuilt_without_it(settings: Settings, bob: Uploader) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)
    with db.transaction() as tx:
        id = promise(tx)
    builders.run(settings, [id])
    with db.reading() as reader:
        indexed = db.value(
            reader,
            "select count(*) from lexical_passages join lexical_generations on id = generation"
            " where ns = 'corpora' and state = 'serving'",
        )
        public = db.value(reader, "select count(*) from passages where account_id is null")
    assert indexed == public > 0
    assert len(bob.sources(QUESTION)) == 1


def test_the_index_of_each_account_is_rebuilt_as_well(settings: Settings, ada: Uploader) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)
    ada.upload(ada.corpus(), "owls.md", TEXT)
    with db.transaction() as tx:
        before = db.values(tx, "select id from lexical_generations")
        tx.execute("update lexical_generations set analysis = 0")
        id: UUID | None = promise(tx)
    while id is not None:
        builders.run(settings, [id])
        with db.reading() as reader:
            job = rebuild.unfinished_job(reader)
        id = job.id if job else None
    with db.reading() as reader:
        after = db.values(reader, "select id from lexical_generations where state = 'serving'")
        assert not rebuild.due(reader)
    assert len(after) == len(before) == 2
    assert not set(after) & set(before)
    assert len(ada.sources(QUESTION)) == 2


def test_an_index_elsewhere_never_gets_it(
    following: Settings, server: StandIn, ada: Uploader
) -> None:
    remote_index.add("owls")
    remote_index.rebuild(following)
    ada.upload(ada.corpus(), "owls.md", TEXT)
    remote_index.rebuild(following)
    assert SECRET not in str(remote_index.served(server).documents)
    assert len(remote_index.served(server).documents) == 1
