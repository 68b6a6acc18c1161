"""The sheet of two runs for a reader who does not know which answer is which."""

import json
from pathlib import Path

import pytest

from bench import blind

QUESTION = "What does VACUUM do?"


def run(folder: Path, name: str, *answers: str, question: str = QUESTION) -> Path:
    """A run as `bench.real_corpus --json` writes it; an empty answer stands for a refusal."""
    questions = [
        {"question": question, "answered": bool(answer), "answer": answer} for answer in answers
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"set": "sqlite", "questions": questions}))
    return path


def written(folder: Path, old: Path, new: Path) -> tuple[str, dict[str, dict[str, str]]]:
    sheet, key = folder / "sheet.md", folder / "key.json"
    blind.write(old, new, sheet, key)
    return sheet.read_text(), json.loads(key.read_text())


def test_the_key_says_whose_each_answer_is(tmp_path: Path) -> None:
    many = 20
    old = run(tmp_path, "old", *["It is slow."] * many)
    new = run(tmp_path, "new", *["It rebuilds the file."] * many)
    whose = {"> It is slow.": "old", "> It rebuilds the file.": "new"}
    sheet, key = written(tmp_path, old, new)
    for n, asked in enumerate(sheet.split("\n## ")[1:], start=1):
        shown = {part[0]: whose[part.split("\n")[2]] for part in asked.split("### Answer ")[1:]}
        assert shown == key[str(n)]


def test_a_refusal_reads_alike_in_both(tmp_path: Path) -> None:
    sheet, _ = written(tmp_path, run(tmp_path, "old", ""), run(tmp_path, "new", ""))
    assert sheet.count(f"> {blind.REFUSED}") == 2


def test_runs_of_different_questions_are_not_compared(tmp_path: Path) -> None:
    new = run(tmp_path, "new", "Yes.", question="Is it safe?")
    with pytest.raises(SystemExit):
        blind.write(run(tmp_path, "old", "Yes."), new, tmp_path / "s", tmp_path / "k")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("It is slow. [1] It is safe. [2]", "It is slow. It is safe."),
        ("Run it:\n\n```\nVACUUM;\n```\n[1]", "Run it:\n\nVACUUM;"),
        ("Read `argv[ 1 ]` first. [1]", "Read `argv[1]` first."),
        ("Read argv[1] first. [1]", "Read argv[1] first."),
    ],
)
def test_what_only_a_version_shows_is_not_on_the_sheet(answer: str, shown: str) -> None:
    assert blind.plain(answer) == shown
