"""What is installed is what the lock files say, byte for byte and from wherever it comes."""

import re
import shutil
from pathlib import Path

import pytest

from tests.installed import ROOT, make

LOCKS = sorted(ROOT.glob("requirements/*.lock"))
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")


def requirements(lock: Path) -> list[str]:
    """Each requirement with its hashes, on one line."""
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_every_requirement_is_exact_and_has_its_hashes() -> None:
    for lock in LOCKS:
        for requirement in requirements(lock):
            assert re.match(r"[a-z0-9.-]+==\S+ ", requirement), (lock.name, requirement)
            assert HASH.search(requirement), (lock.name, requirement)


def test_no_lock_names_a_registry() -> None:
    named = re.compile(r"://|--(extra-)?index-url|--find-links")
    assert [lock for lock in LOCKS if named.search(lock.read_text(encoding="utf-8"))] == []


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")


@needs_make
def test_make_installs_nothing_without_its_hash() -> None:
    lines = make("--always-make", "--dry-run", "setup", ".venv/.bench-ready").stdout
    commands = re.findall(r"pip\"? install [^|]*", lines.replace("\\\n", " "))
    locked = [command for command in commands if "--require-hashes" in command]
    others = 7  # of payments, browsers, OpenSearch, models of your own, audits, fuzzers, images
    assert len(locked) >= len(LOCKS) - others
    assert all(re.search(r" -e \. ", command) for command in commands if command not in locked)


ABSENT = {
    "models": "They cannot be had now, so search goes by words alone; to try again: make models",
    "assets": "Pages have no scripts now and work without them; to try again: make assets",
}


@needs_make
@pytest.mark.parametrize("part", ABSENT)
def test_a_registry_without_an_optional_part_costs_a_line_and_no_start(
    tmp_path: Path, part: str
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("python", "uv"):  # which find nothing
        program = tmp_path / "bin" / name
        program.write_text("#!/bin/sh\necho not found >&2\nexit 1\n")
        program.chmod(0o755)
    (tmp_path / ".ready").touch()
    run = make("--no-print-directory", f"VENV={tmp_path}", f"{tmp_path}/.{part}-ready")
    assert run.stdout.splitlines()[-1] == ABSENT[part]
    assert run.stderr == ""
