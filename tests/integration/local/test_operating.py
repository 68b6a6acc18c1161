"""The operator's commands, over a real database and a worker in this process."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from app.core import db
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.library.passages import change_store, changes
from app.domains.queue.jobs.dispatch import selection
from app.local.commands.operator_command import whoever_types
from app.local.commands.search.index import guess_kind
from tests.integration.local.conftest import Run
from workers.queue.runner import Runner


@pytest.fixture
def working(settings: Settings) -> Iterator[None]:
    """Whatever is promised is done, as a dispatcher and a worker would."""
    stop = threading.Event()
    runner = Runner(settings, "cli:1:1", events.Publisher(events.connect(settings.redis_url)))

    def work() -> None:
        while not stop.wait(0.02):
            for queue in ("corpora", "housekeeping", "searches"):
                with db.transaction() as tx:
                    chosen = selection.choose(tx, queue, 10, 30).jobs
                runner.run([job.id for job in chosen])

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "owls.md").write_text("# Barn owls\n\nA clutch holds four to seven eggs.\n")
    return folder


def said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_key_of_a_new_account_goes_to_standard_output(run: Run) -> None:
    typed = "correct horse battery\ncorrect horse battery\n"
    said(run("accounts", "create", "ada@example.org", typed=typed))
    result = run("keys", "create", "ada@example.org")
    assert said(result).strip().startswith("cgk_live_")
    assert "not shown again" in result.stderr
    refused = run("keys", "create", "ada@example.org", "--name", "a\u202eb")
    assert refused.exit_code == 1
    assert "/name: Control characters are not taken" in refused.stderr
    again = run("accounts", "create", "ADA@example.org", typed=typed)
    assert again.exit_code == 1
    assert "email_taken" in again.stderr


def test_a_folder_is_indexed_asked_listed_rebuilt_and_removed(
    run: Run, working: None, notes: Path
) -> None:
    said(run("index", "add", "notes", str(notes)))
    answer = said(run("search", "How many eggs does a clutch hold?"))
    assert "four to seven eggs" in answer
    assert "corpus://notes/owls.md" in answer
    (listed,) = json.loads(said(run("index", "list", "--json")))
    assert (listed["name"], listed["pages"], listed["refresh"]) == ("notes", 1, "succeeded")
    assert "rebuilt" in said(run("index", "rebuild"))
    assert "four to seven eggs" in said(run("search", "How many eggs does a clutch hold?"))
    said(run("index", "remove", "notes"))
    assert json.loads(said(run("index", "list", "--json"))) == []


def test_an_index_elsewhere_is_rebuilt_only_where_one_is_configured(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "INDEX_URL is not set" in run("index", "rebuild", "--remote").stderr
    monkeypatch.setenv("INDEX_URL", "http://127.0.0.1:9")
    assert "Rebuild queued" in said(run("index", "rebuild", "--remote", "--no-wait"))
    with db.reading() as reader:
        assert changes.rebuild_job(reader) is not None


def test_an_index_elsewhere_is_detached(run: Run, built: Settings) -> None:
    said(run("index", "detach"))
    with db.reading() as reader:
        assert change_store.current(reader) == []


@pytest.mark.usefixtures("log_lines")  # what the worker in this process logs is not the command's
def test_a_search_can_be_read_by_machines(run: Run, working: None) -> None:
    found: dict[str, Any] = json.loads(said(run("search", "Anything at all?", "--json")))
    assert found["status"] == "completed"
    assert found["result"]["answered"] is False


def test_a_folder_without_a_readable_page_fails_with_the_reason_and_how_to_go_on(
    run: Run, working: None, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    result = run("index", "add", "empty", str(tmp_path / "empty"))
    assert result.exit_code == 1
    assert "No readable page" in result.stderr
    assert "citegrid-server index remove empty" in result.stderr


def test_a_folder_that_is_missing_is_named_and_takes_no_name(run: Run, tmp_path: Path) -> None:
    result = run("index", "add", "notes", str(tmp_path / "none"))
    assert result.exit_code == 1
    assert result.stderr.count(f"There is no folder {tmp_path / 'none'}") == 1
    assert json.loads(said(run("index", "list", "--json"))) == []


def test_a_corpus_of_which_nothing_failed_says_so(run: Run, notes: Path) -> None:
    said(run("index", "add", "notes", str(notes), "--no-wait"))
    assert "No failed pages" in run("index", "failures", "notes").stderr


def test_an_empty_list_says_that_it_is_empty(run: Run) -> None:
    for words, told in (
        (["credits", "list"], "No account has credit."),
        (["campaigns", "list"], "There is no campaign."),
        (["campaigns", "list", "--state", "paused"], "No campaign is paused."),
        (["nodes", "list"], "No nodes are registered."),
        (["nodes", "list", "--waiting"], "No nodes wait for approval."),
    ):
        result = run(*words)
        assert (said(result), result.stderr) == ("", f"{told}\n")


def test_what_cannot_be_is_told(run: Run) -> None:
    for words, problem in (
        (["index", "add", "Bad Name", "docs"], "/name"),
        (["index", "add", "notes", "docs", "--max-pages", "0"], "--max-pages"),
        (["index", "add", "notes", "docs", "--every", "5"], "--every"),
        (["index", "add", "notes", "http://["], "invalid_corpus"),
        (["index", "refresh", "missing"], "corpus_not_found"),
        (["index", "remove", "missing"], "corpus_not_found"),
        (["search", "   "], "query"),
        (["accounts", "disable", "\udcff@example.org"], "not UTF-8"),
        (["backup", "create", "/proc/none"], "/proc/none: No such file or directory"),
    ):
        result = run(*words)
        assert result.exit_code in (1, 2), words
        assert problem in result.stderr, words


def test_whoever_has_no_name_on_this_machine_is_known_by_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert whoever_types().startswith(f"user {os.getuid()} at ")


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("https://example.org/docs/", "site"),
        ("https://example.org/sitemap.xml", "sitemap"),
        ("https://example.org/sitemap.xml.gz", "sitemap"),
        ("./handbook", "folder"),
        ("/srv/handbook", "folder"),
    ],
)
def test_the_kind_of_a_location_is_guessed(location: str, kind: str) -> None:
    assert guess_kind(location) == kind
