"""What an operator types is in the audit log: who, and what was done to what."""

from pathlib import Path

import pytest
from click.testing import Result

from app.core import db
from app.local import backups
from app.local.backup_rehearsal import Rehearsal
from app.local.commands import backup
from app.local.commands.operator_command import whoever_types
from tests.integration.local.conftest import Run


def recorded() -> list[tuple[str, str | None]]:
    """Actions of commands with their objects, oldest first."""
    with db.reading() as reader:
        rows = reader.execute(
            "select action, object from audit_events where actor = 'cli' and by_whom = %s"
            " order by id",
            [whoever_types()],
        )
        return [(action, object) for action, object in rows]


def done(result: Result) -> None:
    assert result.exit_code == 0, result.output


def test_corpora_that_are_added_refreshed_and_removed(run: Run, tmp_path: Path) -> None:
    done(run("index", "add", "notes", str(tmp_path), "--no-wait"))
    done(run("index", "remove", "notes"))
    assert recorded() == [
        ("corpus.added", "notes"),
        ("corpus.refresh_requested", "notes"),
        ("corpus.removed", "notes"),
    ]


def test_the_index_that_is_rebuilt_or_detached(run: Run) -> None:
    done(run("index", "rebuild", "--no-wait"))
    done(run("index", "detach"))
    assert recorded() == [("index.rebuild_requested", None), ("index.detached", None)]


def test_a_backup_is_one_even_if_it_cannot_be_recorded(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "create", lambda _settings, parent: parent / "citegrid-1Z")
    done(run("backup", "create", str(tmp_path)))
    assert recorded() == [("database.backed_up", "citegrid-1Z")]
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    result = run("backup", "create", str(tmp_path))
    done(result)
    assert result.stdout.strip().endswith("citegrid-1Z")
    assert "Could not write to the audit log" in result.stderr


def test_a_rehearsal_of_a_restore(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Rehearsal({"accounts": 2}, open_jobs=1, seconds=0.5)
    monkeypatch.setattr(backup, "rehearse", lambda _settings, _folder: counted)
    result = run("backup", "rehearse", str(tmp_path))
    done(result)
    assert "2 rows of 1 table and 1 open job came back" in result.stdout
    assert recorded() == [("database.restore_rehearsed", tmp_path.name)]
