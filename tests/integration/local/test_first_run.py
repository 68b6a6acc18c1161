"""The documentation as the first corpus: there from the start, and gone for good when removed."""

import threading
from io import StringIO
from pathlib import Path

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.corpora import service as corpora
from app.local.embedded import first_run
from app.local.terminal import Terminal


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "page.md").write_text("# Owls\n\nA barn owl lays five eggs.\n")
    return tmp_path


@pytest.fixture(autouse=True)
def pool_of_the_test(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.local.database.db.open", lambda *_, **__: None)
    monkeypatch.setattr("app.local.database.db.close", lambda: None)


def names() -> list[str]:
    with db.reading() as reader:
        return [listed.corpus.name for listed in corpora.listing(reader, {})]


def test_a_new_database_gets_the_documentation_and_keeps_it_until_it_is_removed(
    settings: Settings, docs: Path
) -> None:
    assert first_run.promise(settings, docs, new_database=True)
    assert names() == [first_run.CORPUS]
    with db.reading() as reader:
        assert corpora.indexing(reader)
    assert first_run.promise(settings, docs, new_database=False)  # a later start refreshes it
    assert names() == [first_run.CORPUS]
    with db.transaction() as tx:
        corpora.remove(tx, first_run.CORPUS)
    assert not first_run.promise(settings, docs, new_database=False)
    assert names() == []


def test_a_first_search_that_waits_for_a_worker_stops_when_it_is_told(
    settings: Settings, docs: Path
) -> None:
    first_run.promise(settings, docs, new_database=True)
    output, stop = StringIO(), threading.Event()
    shown = (settings, Terminal(output, {}), stop)
    first = threading.Thread(target=first_run.show, args=shown, daemon=True)
    first.start()
    stop.set()
    first.join(10)
    assert (first.is_alive(), output.getvalue()) == (False, "")
