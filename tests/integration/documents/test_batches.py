"""Many small documents in one request."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from app.domains.library.documents.batches import MOST_LINES, NDJSON
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


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"{}", "application/json", "unsupported_media_type"),
        (b"{}\n" * (MOST_LINES + 1), NDJSON, "payload_too_large"),
        (b" " * ((1 << 20) + 1), NDJSON, "payload_too_large"),
    ],
)
def test_what_is_no_batch_is_refused(
    ada: Uploader, body: bytes, content_type: str, code: str
) -> None:
    answer = put(ada, ada.corpus(), body, content_type)
    assert answer.get_json()["error"]["code"] == code


def test_nobody_uploads_into_a_corpus_of_another_account(ada: Uploader, bob: Uploader) -> None:
    line = json.dumps({"key": "a.md", "content": OWLS}).encode()
    assert put(bob, ada.corpus(), line).status_code == 404
