"""Whether a process of this release may start on a schema."""

from pathlib import Path

import pytest

from app.core.db import schema
from app.core.db.migration import Migration, as_numbers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_notes.sql").write_text("create table notes ();")
    (tmp_path / "0002_more.sql").write_text("create table more ();")
    return tmp_path


def test_a_newer_process_says_which_migrations_are_missing(folder: Path) -> None:
    problem = schema.find_problem({"0001_notes": None}, folder, "0.2.0")
    assert problem is not None
    assert "from 0002_more on: run `citegrid-server migrate`" in problem


def test_an_older_process_works_with_a_schema_to_which_was_added(folder: Path) -> None:
    applied = dict.fromkeys(["0001_notes", "0002_more", "0003_newer"])
    assert schema.find_problem(applied, folder, "0.1.0") is None


def test_a_process_older_than_a_removal_says_which_release_to_start(folder: Path) -> None:
    applied = {"0001_notes": None, "0002_more": None, "0003_removed": "0.10.0"}
    problem = schema.find_problem(applied, folder, "0.9.0")
    assert problem is not None
    assert "0003_removed" in problem
    assert "start 0.10.0 or newer" in problem


def test_the_release_that_a_removal_names_works(folder: Path) -> None:
    applied = {"0001_notes": None, "0002_more": None, "0003_removed": "0.10.0"}
    assert schema.find_problem(applied, folder, "0.10.0") is None


def test_a_file_needs_the_newest_release_that_it_names() -> None:
    head = b"-- unused since 0.9.0: jobs.a\n-- unused since 0.10.0: jobs.b\n"
    assert Migration("0003_removed", head).needs == "0.10.0"


def test_a_file_that_names_no_release_suits_all() -> None:
    assert Migration("0003_added", b"create table a ();").needs is None


def test_releases_are_compared_by_their_numbers() -> None:
    assert as_numbers("0.10.0") > as_numbers("0.9.1")
