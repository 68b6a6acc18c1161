"""Corpora on either client: what is uploaded of a folder, and what is not sent twice."""

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest
from answers import Recording, accepted, in_turn, refusal
from conftest import Ask
from corpora_answers import CORPUS, Corpora

from citegrid import InvalidArgument
from citegrid.errors import ApiError, StillRunning
from citegrid.nouns.search import folder
from citegrid.nouns.search.corpora import FolderUpload


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with documents, and with what is none."""
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / ".git").mkdir()
    (notes / "_sources").mkdir()
    (notes / "owls.md").write_text("# Owls\n")
    (notes / "deep" / "größe 1.TXT").write_text("Eggs.\n")
    (notes / "table.csv").write_text("a,b\n1,2\n")
    (notes / "picture.png").write_bytes(b"\x89PNG")
    (notes / ".hidden.md").write_text("No.")
    (notes / "_sources" / "owls.rst.txt").write_text("No.")
    (notes / "two\nlines.md").write_text("No.")
    (notes / ".git" / "config.txt").write_text("No.")
    (tmp_path / "outside.md").write_text("No.")
    (notes / "link.md").symlink_to(tmp_path / "outside.md")
    return notes


def upload(ask: Ask, server: Corpora, notes: Path) -> list[FolderUpload]:
    uploads: list[FolderUpload] = ask(
        server, lambda client: client.corpora.upload_folder("corp_notes", notes)
    )
    return uploads


def test_the_documents_of_a_folder_are_uploaded_under_their_paths(ask: Ask, notes: Path) -> None:
    server = Corpora("notes")
    uploads = upload(ask, server, notes)
    assert server.bodies == {
        "deep/größe 1.TXT": ("text/plain", b"Eggs.\n"),
        "owls.md": ("text/markdown", b"# Owls\n"),
        "table.csv": ("text/csv", b"a,b\n1,2\n"),
    }
    assert [(each.key, each.n, each.total) for each in uploads] == [
        ("deep/größe 1.TXT", 1, 3),
        ("owls.md", 2, 3),
        ("table.csv", 3, 3),
    ]


def test_names_have_the_spaces_and_joiners_of_their_script(ask: Ask, tmp_path: Path) -> None:
    fit, unfit = ["梟\u3000卵.md", "به\u200cنام.md"], ["a\u202edm.md", "a\u2028b.md"]
    for name in fit + unfit:
        (tmp_path / name).write_text("# Owls\n")
    server = Corpora("notes")
    upload(ask, server, tmp_path)
    assert server.bodies.keys() == set(fit)


def test_what_is_there_with_the_same_content_is_not_sent_again(ask: Ask, notes: Path) -> None:
    server = Corpora("notes")
    upload(ask, server, notes)
    server.uploads.clear()
    (notes / "owls.md").write_text("# More owls\n")
    outcomes = [each.outcome for each in upload(ask, server, notes)]
    assert outcomes == ["unchanged", "uploaded", "unchanged"]
    assert server.uploads == ["owls.md"]


def test_a_document_that_is_refused_does_not_stop_the_others(ask: Ask, notes: Path) -> None:
    server = Corpora("notes", refused={"owls.md": refusal(415, "unsupported_media_type")})
    uploads = upload(ask, server, notes)
    assert [each.outcome for each in uploads] == ["uploaded", "refused", "uploaded"]
    assert uploads[1].reason is not None


def test_a_quota_that_is_used_up_stops_the_upload(ask: Ask, notes: Path) -> None:
    server = Corpora("notes", refused={"owls.md": refusal(409, "corpus_quota_exceeded")})
    with pytest.raises(ApiError, match="No"):
        upload(ask, server, notes)
    assert server.uploads == ["deep/größe 1.TXT", "owls.md"]


def test_a_file_larger_than_any_document_is_not_sent(
    ask: Ask, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_BYTES", 7)
    server = Corpora("notes")
    assert [each.outcome for each in upload(ask, server, notes)] == [
        "uploaded",
        "uploaded",
        "refused",
    ]
    assert "table.csv" not in server.uploads


def test_a_folder_that_is_not_there_is_said_before_anything_is_asked(
    ask: Ask, tmp_path: Path
) -> None:
    server = Corpora("notes")
    with pytest.raises(InvalidArgument, match="is no folder"):
        upload(ask, server, tmp_path / "gone")


def test_waiting_ends_when_all_has_been_read(ask: Ask) -> None:
    states = {**CORPUS, "waiting": 2}, {**CORPUS, "waiting": 0, "documents": 2}
    server = in_turn(*(httpx.Response(200, json=each) for each in states))
    corpus: Any = ask(server, lambda client: client.corpora.wait("corp_a"))
    assert corpus.documents == 2


def test_waiting_ends_with_its_time(ask: Ask) -> None:
    answer = httpx.Response(200, json={**CORPUS, "waiting": 2})
    with pytest.raises(StillRunning):
        ask(lambda _request: answer, lambda client: client.corpora.wait("corp_a", timeout=0.01))


def test_a_search_names_the_corpora_it_is_to_use(ask: Ask) -> None:
    server = Recording(accepted())
    ask(server, lambda client: client.searches.create("Eggs?", corpora=["notes"]))
    assert json.loads(server.asked[0].content)["corpora"] == ["notes"]


def test_a_document_is_described(ask: Ask) -> None:
    server = Corpora("notes")
    ask(server, lambda client: client.corpora.upload("corp_notes", "a.md", b"x", "text/markdown"))
    described: Any = ask(
        server,
        lambda client: client.corpora.update_document(
            "corp_notes", "a.md", metadata={"year": 2026}
        ),
    )
    assert described.metadata == {"year": 2026}


def test_a_document_is_fetched_by_the_server(ask: Ask) -> None:
    sent: list[bytes] = []

    def server(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        return Corpora("notes")(request)

    ask(server, lambda client: client.corpora.fetch("corp_notes", "owls", "https://example.org/a"))
    assert json.loads(sent[0]) == {"url": "https://example.org/a"}


def test_many_documents_are_sent_a_line_each(ask: Ask) -> None:
    error = {"code": "malformed_json", "message": "It is none."}
    refused = {"key": None, "outcome": "refused", "error": error}
    results = {"results": [{"key": "a", "outcome": "accepted"}, refused]}
    server = Recording(httpx.Response(200, json=results))
    documents = [{"key": "a", "content": "Owls\neat mice."}, {"key": "b"}]
    made: Any = ask(server, lambda client: client.corpora.upload_batch("corp_notes", documents))
    (sent,) = server.asked
    assert [json.loads(line) for line in sent.content.splitlines()] == documents
    assert sent.headers["content-type"] == "application/x-ndjson"
    assert [each.outcome for each in made] == ["accepted", "refused"]
    assert made[1].error.code == "malformed_json"


def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    listed = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr("os.scandir", scandir)
    with pytest.raises(PermissionError):
        folder.files_of(tmp_path)
