"""`citegrid index` and `citegrid corpora`, over a server that tests make up."""

import json
from pathlib import Path

import pytest
from answers import Recording, accepted, refusal
from conftest import Run
from corpora_answers import Corpora

from citegrid.cli.exits import Exit


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "owls.md").write_text("# Owls\n")
    (notes / "eggs.txt").write_text("Eggs.\n")
    return notes


def test_a_folder_becomes_a_corpus_of_its_name(run: Run, notes: Path) -> None:
    server = Corpora()
    done = run(server, "index", str(notes))
    assert done.stdout == "notes: 2 uploaded, 0 unchanged, 0 refused, 0 failed\n"
    assert 'citegrid ask --in notes "A question"' in done.stderr
    assert done.exit_code == Exit.DONE
    assert server.names == {"corp_notes": "notes"}


def test_a_folder_goes_into_the_corpus_that_is_there(run: Run, notes: Path) -> None:
    server = Corpora("mine")
    run(server, "index", str(notes), "--name", "mine")
    done = run(server, "index", str(notes), "--name", "mine")
    assert done.stdout == "mine: 0 uploaded, 2 unchanged, 0 refused, 0 failed\n"
    assert server.names == {"corp_mine": "mine"}


def test_what_is_no_longer_in_the_folder_is_deleted_on_demand(run: Run, notes: Path) -> None:
    server = Corpora()
    run(server, "index", str(notes))
    (notes / "eggs.txt").unlink()
    assert "deleted" not in run(server, "index", str(notes)).stdout
    assert "eggs.txt" in server.documents
    done = run(server, "index", str(notes), "--prune")
    assert done.stdout == "notes: 0 uploaded, 1 unchanged, 0 refused, 0 failed, 1 deleted\n"
    assert list(server.documents) == ["owls.md"]


def test_an_empty_folder_deletes_nothing(run: Run, notes: Path) -> None:
    server = Corpora()
    run(server, "index", str(notes))
    for file in list(notes.iterdir()):
        file.unlink()
    run(server, "index", str(notes), "--prune")
    assert len(server.documents) == 2


def test_what_was_refused_or_unreadable_is_named_with_its_reason(run: Run, notes: Path) -> None:
    server = Corpora(
        refused={"owls.md": refusal(413, "payload_too_large")},
        unreadable={"eggs.txt": "encrypted"},
    )
    done = run(server, "index", str(notes))
    assert done.stdout == (
        "notes: 1 uploaded, 0 unchanged, 1 refused, 1 failed\n"
        "    owls.md: No. (payload_too_large, request req_a)\n"
        "    eggs.txt: encrypted\n"
    )
    assert done.exit_code == Exit.WEAK


def test_a_document_without_some_of_its_pages_is_named_with_the_reason(
    run: Run, notes: Path
) -> None:
    done = run(Corpora(partial={"owls.md": "scanned"}), "index", str(notes))
    assert done.stdout == (
        "notes: 2 uploaded, 0 unchanged, 0 refused, 0 failed\n"
        "    owls.md: some pages are left out, scanned\n"
    )
    assert done.exit_code == Exit.DONE


def test_a_program_reads_what_became_of_each_file(run: Run, notes: Path) -> None:
    done = run(Corpora(), "index", str(notes), "--json")
    told = json.loads(done.stdout)
    assert [each["outcome"] for each in told["uploads"]] == ["uploaded", "uploaded"]
    assert (told["corpus"]["name"], told["failed"]) == ("notes", [])


def test_corpora_are_listed_with_their_counts(run: Run) -> None:
    assert run(Corpora("a"), "corpora", "list").stdout == "corp_a\ta\t0\t0\t0\t0\n"


def test_a_corpus_is_renamed_by_its_name(run: Run) -> None:
    server = Corpora("a")
    assert run(server, "corpora", "rename", "a", "b").stdout == "corp_a b\n"
    assert server.names == {"corp_a": "b"}


def test_a_corpus_that_is_not_there_is_said(run: Run) -> None:
    done = run(Corpora(), "corpora", "documents", "gone")
    assert done.exit_code == Exit.NOT_FOUND
    assert "citegrid corpora list" in done.stderr


def test_documents_are_listed_with_their_states(run: Run, notes: Path) -> None:
    server = Corpora(unreadable={"eggs.txt": "encrypted"})
    run(server, "index", str(notes))
    done = run(server, "corpora", "documents", "notes", "--state", "failed")
    assert done.stdout == "eggs.txt\tfailed\tencrypted\n"


def test_a_document_is_removed_once_that_is_confirmed(run: Run, notes: Path) -> None:
    server = Corpora()
    run(server, "index", str(notes))
    assert run(server, "corpora", "remove", "notes", "owls.md").exit_code == Exit.USAGE
    run(server, "corpora", "remove", "notes", "owls.md", "--yes")
    assert list(server.documents) == ["eggs.txt"]


def test_a_document_is_described_by_what_is_typed(run: Run, notes: Path) -> None:
    server = Corpora()
    run(server, "index", str(notes))
    typed = ("year=2026", "team=birds of prey", 'code="7"', "draft=true")
    done = run(server, "corpora", "describe", "notes", "owls.md", *typed)
    expected = {"year": 2026, "team": "birds of prey", "code": "7", "draft": True}
    assert server.documents["owls.md"]["metadata"] == expected
    assert done.stdout == 'owls.md year=2026 team="birds of prey" code="7" draft=true\n'


@pytest.mark.parametrize("typed", ["year", "Year=1", "year>1", "=1", "year="])
def test_what_is_no_metadata_is_a_usage_error(run: Run, typed: str) -> None:
    done = run(Corpora("a"), "corpora", "describe", "a", "owls.md", typed)
    assert done.exit_code == Exit.USAGE


def test_a_question_is_asked_of_documents_with_that_metadata(run: Run) -> None:
    server = Recording(accepted())
    run(server, "ask", "--where", "year>2020", "--where", "team = birds", "--detach", "Eggs?")
    conditions = [{"field": "year", "gt": 2020}, {"field": "team", "eq": "birds"}]
    assert json.loads(server.asked[0].content)["filter"] == {"and": conditions}


def test_a_corpus_is_deleted_once_that_is_confirmed(run: Run) -> None:
    server = Corpora("a")
    assert run(server, "corpora", "delete", "a").exit_code == Exit.USAGE
    run(server, "corpora", "delete", "a", "--yes")
    assert server.names == {}


def test_a_question_is_asked_of_the_corpora_that_are_named(run: Run) -> None:
    server = Recording(accepted())
    run(server, "ask", "--in", "notes", "--in", "mail", "--detach", "Eggs?")
    assert json.loads(server.asked[0].content) == {"query": "Eggs?", "corpora": ["notes", "mail"]}
