"""Uploading documents: what is taken, what is refused, and what is done once."""

import io
import threading
from collections.abc import Callable
from dataclasses import replace

from flask import Flask

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.library.documents import corpus_store, schemas
from app.domains.library.documents.service import content_hash
from app.domains.queue.jobs import service as jobs
from tests import servers
from tests.databases import sessions_waiting
from tests.integration.documents.conftest import CORPORA, OWLS, Uploader, read_all, told
from tests.unit.engine.pages.pdf_bytes import pdf

JOBS = "select count(*) from jobs where kind = 'documents.read'"


def count(sql: str) -> int:
    with db.reading() as reader:
        return int(db.value(reader, sql))


def test_a_document_waits_is_then_ready_and_costs_nothing_again(ada: Uploader) -> None:
    corpus = ada.corpus()
    answer = ada.put(corpus, "guide/owls.md", OWLS)
    assert answer.status_code == 202
    assert answer.headers["Location"].endswith("/documents/guide/owls.md")
    assert answer.get_json()["state"] == "waiting"
    read_all(ada.settings)
    document = ada.ask("GET", answer.headers["Location"]).get_json()
    assert (document["state"], document["title"]) == ("ready", "Barn owls")
    assert document["passages"] > 0
    assert document["content_hash"] == content_hash(OWLS.encode())
    before = count(JOBS)
    same = ada.put(corpus, "guide/owls.md", OWLS)
    assert (same.status_code, same.get_json()["version"]) == (200, 1)
    assert count(JOBS) == before
    assert ada.upload(corpus, "empty.md", "   ")["reason"] == "empty"
    assert ada.put(corpus, "empty.md", "   ").status_code == 202  # what failed is read again


def test_a_document_of_which_some_pages_are_pictures_is_ready_and_says_so(ada: Uploader) -> None:
    body = pdf([(11, 700, "Owls eat mice.")], [], drawn="72 600 9 9 re f")
    document = ada.upload(ada.corpus(), "owls.pdf", body)
    assert (document["state"], document["reason"]) == ("ready", "scanned")


def test_of_two_uploads_at_once_the_later_one_counts(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.put(corpus, "owls.md", OWLS)
    document = ada.upload(corpus, "owls.md", "# Mice\n\nA mouse eats barley.\n")
    assert (document["version"], document["title"]) == (2, "Mice")


def test_the_same_content_in_another_charset_is_read_again(ada: Uploader) -> None:
    corpus, content = ada.corpus(), "# Сова\n\nСова ест мышей.\n".encode("cp1251")
    cyrillic = {"content_type": "text/markdown; charset=windows-1251"}
    ada.upload(corpus, "owl.md", content)
    assert ada.upload(corpus, "owl.md", content, **cyrillic)["title"] == "Сова"
    assert ada.put(corpus, "owl.md", content, **cyrillic).status_code == 200


def test_a_corpus_counts_its_documents_and_bytes(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.upload(corpus, "a.md", OWLS)
    ada.upload(corpus, "b.md", " ")
    ada.upload(corpus, "a.md", OWLS * 2)
    ada.put(corpus, "c.md", OWLS)
    shown = ada.ask("GET", corpus).get_json()
    assert (shown["documents"], shown["waiting"], shown["failed"]) == (3, 1, 1)
    assert shown["bytes"] == 3 * len(OWLS) + 1
    ada.ask("DELETE", f"{corpus}/documents/a.md")
    shown = ada.ask("GET", corpus).get_json()
    assert (shown["documents"], shown["bytes"]) == (2, len(OWLS) + 1)


def test_the_media_type_is_that_of_the_request_or_of_the_key(ada: Uploader) -> None:
    for key, content_type, media_type in (
        ("a.html", None, "text/html"),
        ("b.html", "application/x-www-form-urlencoded", "text/html"),
        ("README", "application/octet-stream", "text/plain"),
        ("a.txt", "text/markdown; charset=utf-8", "text/markdown"),
        ("b.txt", "text/x-markdown", "text/markdown"),
    ):
        corpus = ada.corpus(f"corpus of {key}")
        answer = ada.put(corpus, key, OWLS, content_type=content_type)
        assert answer.get_json()["media_type"] == media_type, key


def test_a_form_may_hold_the_document_and_one_only(ada: Uploader) -> None:
    corpus = ada.corpus()
    form = {"file": (io.BytesIO(OWLS.encode()), "any.md", "text/markdown")}
    answer = ada.ask("PUT", f"{corpus}/documents/owls", data=form)
    assert answer.get_json()["media_type"] == "text/markdown"
    assert answer.get_json()["content_hash"] == content_hash(OWLS.encode())
    two = [(io.BytesIO(b"a"), "a.md"), (io.BytesIO(b"b"), "b.md")]
    for wrong in ({"file": "text"}, {"file": two}):
        answer = ada.ask(
            "PUT", f"{corpus}/documents/a", data=wrong, content_type="multipart/form-data"
        )
        assert answer.get_json()["error"]["details"][0]["field"] == "/file"


def test_a_document_is_taken_up_to_its_limit_and_in_types_that_are_read(ada: Uploader) -> None:
    corpus, most = ada.corpus(), schemas.MOST_BODY_BYTES
    assert ada.put(corpus, "a.txt", b"a" * most).status_code == 202
    refused = ada.put(corpus, "b.txt", b"a" * (most + 1))
    assert refused.get_json()["error"]["code"] == "payload_too_large"
    error = ada.put(corpus, "a.md", OWLS, content_type="video/mp4").get_json()["error"]
    assert error["code"] == "unsupported_media_type"
    assert "Markdown" in error["message"]


def test_keys_of_any_script_are_kept_as_they_are_and_what_is_none_is_refused(
    ada: Uploader,
) -> None:
    corpus = ada.corpus()
    assert ada.upload(corpus, "%C3%9Cber%20uns/%E9%B3%A5.md", OWLS)["key"] == "Über uns/鳥.md"
    for key in ("a" * 501, "a%00b", "a%1Bb", "caf%E9.txt"):
        answer = ada.put(corpus, key, OWLS)
        assert answer.get_json()["error"]["details"][0]["field"] == "/key", key


def test_a_quota_of_documents_and_bytes_is_kept(
    settings: Settings, app: Flask, sign_up: Callable[[str], Uploader]
) -> None:
    small = replace(settings, corpora_documents=2, corpora_bytes=3 * len(OWLS))
    app.extensions["settings"] = small
    ada = sign_up("ada")
    corpus = ada.corpus()
    assert ada.put(corpus, "a.md", OWLS).status_code == 202
    assert ada.put(corpus, "b.md", OWLS * 3).get_json()["error"]["code"] == "corpus_quota_exceeded"
    assert ada.put(corpus, "b.md", OWLS).status_code == 202
    assert ada.put(corpus, "c.md", OWLS).get_json()["error"]["code"] == "corpus_quota_exceeded"
    assert ada.put(corpus, "a.md", OWLS * 2).status_code == 202
    ada.ask("DELETE", f"{corpus}/documents/b.md")
    assert ada.put(corpus, "c.md", OWLS).status_code == 202


def test_a_quota_of_passages_is_kept(
    settings: Settings, app: Flask, sign_up: Callable[[str], Uploader]
) -> None:
    app.extensions["settings"] = small = replace(settings, corpora_passages=2)
    ada = replace(sign_up("ada"), settings=small)
    corpus = ada.corpus()
    long = "".join(f"# Part {n}\n\n{OWLS[13:]}\n" for n in range(3))
    assert ada.upload(corpus, "long.md", long)["reason"] == "quota_exceeded"
    assert ada.upload(corpus, "a.md", OWLS)["passages"] == 1
    assert ada.upload(corpus, "b.md", OWLS)["state"] == "ready"
    assert ada.put(corpus, "c.md", OWLS).get_json()["error"]["code"] == "corpus_quota_exceeded"
    ada.ask("DELETE", f"{corpus}/documents/b.md")
    assert ada.put(corpus, "c.md", OWLS).status_code == 202


def test_of_two_documents_read_at_once_one_gets_what_is_left_of_a_quota(
    settings: Settings, ada: Uploader
) -> None:
    corpus = ada.corpus()
    ada.put(corpus, "b.md", OWLS)
    small = replace(settings, corpora_passages=1)
    reading = threading.Thread(target=read_all, args=(small,))
    with db.transaction() as tx:
        corpus_id = ids.lookup(Noun.CORPUS, corpus.removeprefix(f"{CORPORA}/"))
        corpus_store.count(tx, corpus_id, passages=1)  # as the reading of another does
        reading.start()
        servers.until(sessions_waiting)
    reading.join()
    document = ada.ask("GET", f"{corpus}/documents/b.md").get_json()
    assert (document["state"], document["reason"]) == ("failed", "quota_exceeded")


def test_uploads_of_an_hour_are_limited(
    settings: Settings, app: Flask, sign_up: Callable[[str], Uploader]
) -> None:
    app.extensions["settings"] = replace(settings, corpora_uploads_per_hour=2)
    ada = sign_up("ada")
    corpus = ada.corpus()
    keys = ("a.md", "b.md")
    assert [ada.put(corpus, key, OWLS).status_code for key in keys] == [202, 202]
    refused = ada.put(corpus, "c.md", OWLS)
    assert refused.get_json()["error"]["code"] == "rate_limited"
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert ada.put(corpus, "a.md", OWLS).status_code == 200
    with db.transaction() as tx:
        tx.execute("update upload_hours set began_at = began_at - interval '1 hour'")
    assert ada.put(corpus, "c.md", OWLS).status_code == 202
    with db.reading() as reader:
        assert db.value(reader, "select uploads from upload_hours") == 1


def test_names_of_corpora_are_one_account_s_own(ada: Uploader, bob: Uploader) -> None:
    corpus = ada.corpus("handbook")
    bob.corpus("handbook")
    other = ada.corpus("notes")
    again = ada.ask("POST", CORPORA, json={"name": "handbook"})
    renamed = ada.ask("PATCH", other, json={"name": "handbook"})
    assert {again.status_code, renamed.status_code} == {409}
    assert ada.ask("PATCH", corpus, json={"name": "manual"}).get_json()["name"] == "manual"
    assert ada.ask("PATCH", other, json={"name": "handbook"}).status_code == 200
    id = ids.public(Noun.CORPUS, ids.new())
    assert ada.ask("POST", CORPORA, json={"name": id}).status_code == 400


def test_documents_are_listed_newest_first_and_by_state(ada: Uploader) -> None:
    corpus = ada.corpus()
    for key in ("a.md", "b.md", "c.md"):
        ada.upload(corpus, key, OWLS if key != "b.md" else " ")
    first = ada.ask("GET", f"{corpus}/documents", query_string={"limit": 2}).get_json()
    assert [x["key"] for x in first["documents"]] == ["c.md", "b.md"]
    query = {"limit": 2, "cursor": first["next_cursor"]}
    second = ada.ask("GET", f"{corpus}/documents", query_string=query).get_json()
    assert [x["key"] for x in second["documents"]] == ["a.md"]
    failed = ada.ask("GET", f"{corpus}/documents", query_string={"state": "failed"}).get_json()
    assert [x["key"] for x in failed["documents"]] == ["b.md"]


def test_webhooks_say_what_failed_and_when_nothing_waits_any_more(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.subscribe("corpus.ready", "document.failed")
    ada.put(corpus, "owls.md", OWLS)
    ada.put(corpus, "empty.md", " ")
    read_all(ada.settings)
    failed, ready = told()
    assert (failed["type"], ready["type"]) == ("document.failed", "corpus.ready")
    assert (failed["data"]["key"], failed["data"]["reason"]) == ("empty.md", "empty")


def test_a_job_that_ends_without_reading_says_so(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.put(corpus, "owls.md", OWLS)
    with db.transaction() as tx:
        (id,) = db.values(tx, "select id from jobs where kind = 'documents.read'")
        jobs.cancel(tx, id)
    document = ada.ask("GET", f"{corpus}/documents/owls.md").get_json()
    assert (document["state"], document["reason"]) == ("failed", "cancelled")
