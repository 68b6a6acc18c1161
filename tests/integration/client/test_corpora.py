"""Corpora by the client over the real application: uploaded, read, asked, and sent once."""

from pathlib import Path
from typing import Any

import pytest
from citegrid import as_json
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.integration.client.conftest import OWLS, QUESTION, Asking, Recorder
from tests.integration.documents.conftest import SCOPES, read_all
from tests.unit.engine.pages.pdf_bytes import pdf


@pytest.fixture
def ada(app: Flask, settings: Settings) -> Asking:
    """On the client that blocks, for an account with a key for corpora."""
    with db.transaction() as tx:
        key = builders.api_key(tx, settings, builders.account(tx, "ada@example.org"), SCOPES)
    return Asking(Recorder(app), key)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep er").mkdir()
    (tmp_path / "deep er" / "owls & eggs?.md").write_text(OWLS)
    (tmp_path / "scan.pdf").write_bytes(pdf([], drawn="72 600 100 100 re f"))
    return tmp_path


@pytest.fixture
def corpus(ada: Asking, settings: Settings, folder: Path) -> Any:
    """A corpus with the documents of the folder, read."""
    corpus = ada(lambda c: c.corpora.create("notes"))
    uploads = ada(lambda c: c.corpora.upload_folder(corpus.id, folder))
    assert [each.outcome for each in uploads] == ["uploaded", "uploaded"]
    read_all(settings)
    return ada(lambda c: c.corpora.wait(corpus.id))


def test_a_corpus_is_read_whole(ada: Asking, corpus: Any) -> None:
    assert as_json(corpus) == ada.recorder.answers[-1]
    assert (corpus.documents, corpus.waiting, corpus.failed) == (2, 0, 1)


def test_a_key_with_any_signs_names_its_document(ada: Asking, corpus: Any) -> None:
    key = "deep er/owls & eggs?.md"
    document = ada(lambda c: c.corpora.get_document(corpus.id, key))
    assert as_json(document) == ada.recorder.answers[-1]
    assert (document.key, document.state, document.title) == (key, "ready", "Barn owls")


def test_a_document_that_cannot_be_read_says_why(ada: Asking, corpus: Any) -> None:
    (failed,) = ada(lambda c: c.corpora.iterate_documents(corpus.id, state="failed"))
    assert (failed.key, failed.reason) == ("scan.pdf", "scanned")


def test_what_is_there_is_not_uploaded_again(ada: Asking, corpus: Any, folder: Path) -> None:
    again = ada(lambda c: c.corpora.upload_folder(corpus.id, folder))
    assert [each.outcome for each in again] == ["unchanged", "unchanged"]


def test_a_search_finds_what_was_uploaded(ada: Asking, corpus: Any, settings: Settings) -> None:
    id = ada(lambda c: c.searches.create(QUESTION, corpora=["notes"])).id
    builders.work(settings, id)
    result = ada(lambda c: c.searches.get(id)).result
    assert result.answered
    assert [source.title for source in result.sources] == ["Barn owls"]


def test_a_corpus_is_renamed_and_deleted(ada: Asking, corpus: Any, settings: Settings) -> None:
    assert ada(lambda c: c.corpora.update(corpus.id, name="owls")).name == "owls"
    ada(lambda c: c.corpora.delete_document(corpus.id, "scan.pdf"))
    ada(lambda c: c.corpora.delete(corpus.id))
    assert ada(lambda c: c.corpora.iterate()) == []
