"""Many small documents in one request."""

import base64
import io
import json
import random
import zipfile
from dataclasses import replace
from typing import Any

from werkzeug.test import TestResponse

from app.domains.library.documents.batches import MOST_DOCUMENTS, NDJSON, ZIP
from app.domains.library.documents.schemas import MOST_BODY_BYTES
from tests.integration.documents.conftest import OWLS, Uploader, read_all


def put(ada: Uploader, corpus: str, body: bytes, content_type: str = NDJSON) -> TestResponse:
    return ada.ask("POST", f"{corpus}/documents", data=body, content_type=content_type)


def results(ada: Uploader, corpus: str, *lines: Any) -> list[dict[str, Any]]:
    answer = put(ada, corpus, "\n".join(map(json.dumps, lines)).encode())
    assert answer.status_code == 200, answer.get_json()
    found: list[dict[str, Any]] = answer.get_json()["results"]
    return found


def test_each_line_is_a_document(ada: Uploader) -> None:
    corpus = ada.corpus()
    encoded = base64.b64encode(b"Species,Clutch\nTawny owl,2 to 4\n").decode()
    made = results(
        ada,
        corpus,
        {"key": "owls.md", "content": OWLS, "metadata": {"year": 2026}},
        {"key": "clutches.csv", "content_base64": encoded},
        {"key": "plain", "content": "Owls eat mice."},
        {"key": "page", "url": "https://birds.example.org/owls"},
    )
    assert [each["outcome"] for each in made] == ["accepted"] * 4
    listed = {x["key"]: x for x in ada.ask("GET", f"{corpus}/documents").get_json()["documents"]}
    assert listed["owls.md"]["metadata"] == {"year": 2026}
    assert listed["page"]["url"] == "https://birds.example.org/owls"
    types = {key: each["media_type"] for key, each in listed.items()}
    assert types == {
        "owls.md": "text/markdown",
        "clutches.csv": "text/csv",
        "plain": "text/plain",
        "page": None,
    }


def test_what_was_interrupted_goes_on_when_it_is_sent_again(ada: Uploader) -> None:
    corpus = ada.corpus()
    first = {"key": "a.md", "content": OWLS}
    results(ada, corpus, first)
    read_all(ada.settings)
    made = results(ada, corpus, first, {"key": "b.md", "content": OWLS})
    assert [each["outcome"] for each in made] == ["unchanged", "accepted"]


def test_a_refused_line_stops_none_of_the_others(ada: Uploader) -> None:
    corpus = ada.corpus()
    good = json.dumps({"key": "good.md", "content": OWLS}).encode()
    bad: list[bytes] = [
        b"{",
        b"[]",
        b'{"key": "x"}',
        b'{"key": "x", "content": "a", "url": "https://example.org"}',
        b'{"key": "", "content": "a"}',
        b'{"key": "a\\u0007", "content": "a"}',
        b'{"key": "x", "content_base64": "?"}',
        b'{"key": "x", "content": "a", "media_type": "video/mp4"}',
        b'{"key": "x", "content": "a", "metadata": {"A": 1}}',
        b'{"key": "x", "url": "file:///etc/passwd"}',
        b'{"key": "x", "content": "a", "more": 1}',
        b"\xff",
    ]
    answer = put(ada, corpus, b"\n".join([*bad, b"", good, b""]))
    made = answer.get_json()["results"]
    assert [each["outcome"] for each in made] == ["refused"] * len(bad) + ["accepted"]
    assert [each["error"]["code"] for each in made[:3]] == [
        "malformed_json",
        "validation_failed",
        "validation_failed",
    ]
    assert [made[7]["key"], made[7]["error"]["code"]] == ["x", "unsupported_media_type"]
    assert "error" not in made[-1]


def test_a_corpus_that_is_full_refuses_what_is_too_much(ada: Uploader) -> None:
    ada.client.application.extensions["settings"] = replace(ada.settings, corpora_documents=1)
    corpus = ada.corpus()
    made = results(ada, corpus, *({"key": f"{n}.md", "content": OWLS} for n in range(2)))
    assert [each["outcome"] for each in made] == ["accepted", "refused"]
    assert made[1]["error"]["code"] == "corpus_quota_exceeded"


def test_what_is_no_batch_is_refused(ada: Uploader) -> None:
    corpus = ada.corpus()
    for body, content_type, code in (
        (b"{}", "application/json", "unsupported_media_type"),
        (b"{}\n" * (MOST_DOCUMENTS + 1), NDJSON, "payload_too_large"),
        (b" " * ((1 << 20) + 1), NDJSON, "payload_too_large"),
    ):
        answer = put(ada, corpus, body, content_type)
        assert answer.get_json()["error"]["code"] == code


def zipped(files: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return body.getvalue()


def test_each_file_of_a_zip_is_a_document(ada: Uploader) -> None:
    corpus = ada.corpus()
    files = {
        "birds/owls.md": OWLS,
        "birds/": "",
        "eggs.csv": "Species,Clutch\nTawny owl,2 to 4\n",
        "owl.png": b"\x89PNG",
        ".hidden.md": "No.",
        "__MACOSX/owls.md": "No.",
    }
    answer = put(ada, corpus, zipped(files), ZIP).get_json()
    assert [(x["key"], x["outcome"], "error" in x) for x in answer["results"]] == [
        ("birds/owls.md", "accepted", False),
        ("eggs.csv", "accepted", False),
        ("owl.png", "refused", True),
    ]
    read_all(ada.settings)
    assert ada.sources("How many eggs does a barn owl lay?")[0].endswith("birds/owls.md")
    again = put(ada, corpus, zipped(files), ZIP).get_json()["results"]
    assert [x["outcome"] for x in again] == ["unchanged", "unchanged", "refused"]


def test_a_zip_may_be_larger_than_other_bodies(ada: Uploader) -> None:
    noise = random.Random(1).randbytes(2 << 20)
    files = {"noise.txt": noise, "owls.md": OWLS}
    answer = put(ada, ada.corpus(), zipped(files, zipfile.ZIP_STORED), ZIP)
    assert [x["outcome"] for x in answer.get_json()["results"]] == ["accepted"] * 2


def test_no_more_is_unpacked_than_a_document_may_have(ada: Uploader) -> None:
    files = {"bomb.txt": b"0" * (MOST_BODY_BYTES + 1), "owls.md": OWLS}
    answer = put(ada, ada.corpus(), zipped(files), ZIP).get_json()["results"]
    assert [x.get("error", {}).get("code") for x in answer] == ["payload_too_large", None]


def test_no_more_is_unpacked_than_64_mb_in_all(ada: Uploader) -> None:
    files: dict[str, str | bytes] = {f"{n}.txt": b"0" * (16 << 20) for n in range(5)}
    answer = put(ada, ada.corpus(), zipped(files), ZIP).get_json()["results"]
    assert [x["outcome"] for x in answer] == ["accepted"] * 4 + ["refused"]


def test_what_is_no_zip_is_refused(ada: Uploader) -> None:
    corpus = ada.corpus()
    for body in (zipped({"owls.md": OWLS})[:-30], b"PK", b""):
        answer = put(ada, corpus, body, ZIP)
        refused = (answer.status_code, answer.get_json()["error"]["code"])
        assert refused == (400, "validation_failed")


def test_a_file_whose_header_is_damaged_takes_no_other_along(ada: Uploader) -> None:
    name = "Über uns.md".encode()
    body = zipped({"Über uns.md": OWLS, "owls.md": OWLS}).replace(name, b"\xff" + name[1:], 1)
    answer = put(ada, ada.corpus(), body, ZIP).get_json()["results"]
    assert [each["outcome"] for each in answer] == ["refused", "accepted"]


def test_a_file_without_a_name_is_refused(ada: Uploader) -> None:
    body = bytearray(zipped({"a": OWLS}))
    entry = body.index(b"PK\x01\x02")
    body[entry + 28], body[entry + 32] = 0, 1  # its name is a comment (APPNOTE, 4.3.12)
    answer = put(ada, ada.corpus(), bytes(body), ZIP).get_json()["results"]
    assert [each["outcome"] for each in answer] == ["refused"]


def test_a_file_that_is_damaged_spoils_only_itself(ada: Uploader) -> None:
    body = zipped({"owls.md": OWLS, "rooks.md": "# Rooks"}, zipfile.ZIP_STORED)
    answer = put(ada, ada.corpus(), body.replace(b"# Barn owls", b"# Born owls", 1), ZIP)
    assert [x["outcome"] for x in answer.get_json()["results"]] == ["refused", "accepted"]
