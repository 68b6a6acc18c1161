"""Following log files."""

import json
from pathlib import Path

import pytest

from app.local.embedded.logs import LogLine, Logs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_only_what_is_appended_is_new(folder: Path) -> None:
    folder.mkdir()
    (folder / "web.log").write_text("yesterday\n")
    logs = Logs(folder)
    append(folder / "web.log", "today\n")
    assert list(logs.new_lines()) == [LogLine("web", "today")]
    assert list(logs.new_lines()) == []


def test_a_line_is_told_when_it_is_whole(folder: Path) -> None:
    logs = Logs(folder)
    append(logs.path("web"), "half")
    assert list(logs.new_lines()) == []
    append(logs.path("web"), " and half\n")
    assert list(logs.new_lines()) == [LogLine("web", "half and half")]


def test_an_endless_line_does_not_stop_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.local.embedded.logs._LONGEST_READ_BYTES", 4)
    logs = Logs(folder)
    append(logs.path("web"), "abcdef\n")
    assert list(logs.new_lines()) == [LogLine("web", "abcd")]
    assert list(logs.new_lines()) == [LogLine("web", "ef")]


def test_a_log_that_grows_too_large_is_put_aside_while_its_writer_goes_on(folder: Path) -> None:
    logs = Logs(folder, largest_bytes=5)
    with logs.path("web").open("a") as writer:
        for word in ("first\n", "second\n"):
            writer.write(word)
            writer.flush()
            assert [line.text for line in logs.new_lines()] == [word.strip()]
    assert (folder / "web.log.1").read_text() == "second\n"
    assert logs.path("web").read_text() == ""


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"level": "error", "event": "job raised"}, "job raised"),
        (
            {"level": "error", "event": "raised", "exception": "Traceback\n  x\nKeyError: 'a'"},
            "raised: KeyError: 'a'",
        ),
        ({"level": "info", "event": "request"}, None),
        ({"level": "warning", "event": "redis away"}, None),
        (["error"], None),
    ],
)
def test_errors_are_problems_and_nothing_else_is(record: object, problem: str | None) -> None:
    assert LogLine("web", json.dumps(record)).problem == problem


def test_a_line_that_is_not_json_is_no_problem() -> None:
    assert LogLine("web", "[INFO] Booting worker").problem is None


def test_a_log_is_cut_also_where_no_copy_can_be_kept(folder: Path) -> None:
    logs = Logs(folder, largest_bytes=5)
    (folder / "web.log.1").mkdir()
    append(logs.path("web"), "too much\n")
    assert [line.text for line in logs.new_lines()] == ["too much"]
    assert logs.path("web").read_text() == ""


def test_a_log_that_somebody_emptied_is_read_from_its_beginning(folder: Path) -> None:
    logs = Logs(folder)
    append(logs.path("web"), "a long line\n")
    assert len(list(logs.new_lines())) == 1
    logs.path("web").write_text("new\n")
    assert list(logs.new_lines()) == [LogLine("web", "new")]
