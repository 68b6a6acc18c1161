"""Corpora by the client over the real application: uploaded, read, asked, and sent once."""

from pathlib import Path

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


def test_a_folder_becomes_a_corpus_that_is_read_searched_renamed_and_deleted(
    ada: Asking, settings: Settings, folder: Path
) -> None:
    id = ada(lambda c: c.corpora.create("notes")).id
    for outcome in ("uploaded", "unchanged"):  # what is there is not uploaded again
        uploads = ada(lambda c: c.corpora.upload_folder(id, folder))
        assert [each.outcome for each in uploads] == [outcome, outcome]
        read_all(settings)
    corpus = ada(lambda c: c.corpora.wait(id))
    assert as_json(corpus) == ada.recorder.answers[-1]
    assert (corpus.documents, corpus.waiting, corpus.failed) == (2, 0, 1)
    (failed,) = ada(lambda c: c.corpora.iterate_documents(id, state="failed"))
    assert (failed.key, failed.reason) == ("scan.pdf", "scanned")
    key = "deep er/owls & eggs?.md"
    document = ada(lambda c: c.corpora.get_document(id, key))
    assert as_json(document) == ada.recorder.answers[-1]
    assert (document.key, document.state, document.title) == (key, "ready", "Barn owls")
    search = ada(lambda c: c.searches.create(QUESTION, corpora=["notes"])).id
    builders.work(settings, search)
    result = ada(lambda c: c.searches.get(search)).result
    assert result.answered
    assert [source.title for source in result.sources] == ["Barn owls"]
    assert ada(lambda c: c.corpora.update(id, name="owls")).name == "owls"
    ada(lambda c: c.corpora.delete_document(id, "scan.pdf"))
    ada(lambda c: c.corpora.delete(id))
    assert ada(lambda c: c.corpora.iterate()) == []
