"""What an account uploads is found by its searches, beside what the operator indexed."""

import pytest

from app.core import db
from app.domains.queue.jobs.dispatch import sweep
from tests import builders
from tests.integration.documents.conftest import OWLS, Uploader, read_all

QUESTION = "How many eggs does a barn owl lay?"
SHARED = "https://birds.example.org/owls"
PAGE = "# The barn owl\n\nIn April the clutch of a barn owl has four to seven eggs.\n"


def test_a_document_answers_with_its_exact_words_until_it_is_deleted(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.upload(corpus, "owls.md", OWLS)
    search = ada.search(QUESTION)
    assert "four to seven eggs" in search["result"]["answer"]
    (source,) = search["result"]["sources"]
    assert source["url"] == f"corpus://{corpus.rpartition('/')[2]}/owls.md"
    assert source["title"] == "Barn owls"
    assert len(ada.sources('"hatch after 30 days"')) == 1
    assert ada.sources('"hatch after 40 days"') == []
    assert ada.ask("DELETE", f"{corpus}/documents/owls.md").status_code == 204
    assert ada.sources(QUESTION) == []


def test_a_search_is_narrowed_to_corpora_by_name_or_id(ada: Uploader) -> None:
    builders.indexed_page(SHARED, PAGE)
    handbook, notes = ada.corpus("handbook"), ada.corpus("notes")
    ada.upload(handbook, "owls.md", OWLS)
    ada.upload(notes, "more.md", OWLS.replace("four", "three"))
    by_name = ada.sources(QUESTION, corpora=["notes"])
    by_id = ada.sources(QUESTION, corpora=[notes.rpartition("/")[2]])
    assert by_name == by_id == [f"corpus://{notes.rpartition('/')[2]}/more.md"]


def test_a_corpus_of_another_account_is_no_corpus(ada: Uploader, bob: Uploader) -> None:
    theirs = bob.corpus("secrets").rpartition("/")[2]
    answers = [
        ada.ask("POST", "/external/v1/search", json={"query": QUESTION, "corpora": [text]})
        for text in (theirs, "secrets", "corp_" + "a" * 26, "nowhere")
    ]
    assert {answer.status_code for answer in answers} == {400}
    details = [answer.get_json()["error"]["details"] for answer in answers]
    assert (
        details == [[{"field": "/corpora/0", "problem": "Must be the id or name of a corpus."}]] * 4
    )


def test_the_former_version_answers_until_the_new_one_is_read_if_it_can_be(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.upload(corpus, "owls", OWLS)
    ada.put(corpus, "owls", OWLS.replace("four to seven", "nine to eleven"))
    assert "four to seven" in ada.search(QUESTION)["result"]["answer"]
    read_all(ada.settings)
    (source,) = ada.search(QUESTION)["result"]["sources"]
    assert "nine to eleven" in str(source)
    broken = b"%PDF-1.4 and nothing else"
    document = ada.upload(corpus, "owls", broken, content_type="application/pdf")
    assert (document["state"], document["reason"]) == ("failed", "damaged")
    assert "nine to eleven" in ada.search(QUESTION)["result"]["answer"]


def test_an_answer_keeps_its_source_when_the_document_is_deleted(ada: Uploader) -> None:
    corpus = ada.corpus()
    ada.upload(corpus, "owls.md", OWLS)
    search = ada.search(QUESTION)
    ada.ask("DELETE", corpus)
    read_all(ada.settings)
    builders.forget_expired(ada.settings)
    path = f"/external/v1/search/{search['id']}/sources/1/snapshot"
    assert "four to seven eggs" in ada.ask("GET", path).get_json()["text"]


def test_a_deleted_corpus_is_hidden_before_its_documents_are_gone(ada: Uploader) -> None:
    corpus, other = ada.corpus("handbook"), ada.corpus("notes")
    ada.upload(corpus, "owls.md", OWLS)
    ada.upload(other, "mice.md", "# Mice\n\nA mouse eats barley.\n")
    assert ada.ask("DELETE", corpus).status_code == 204
    assert ada.sources(QUESTION) == []
    read_all(ada.settings)
    with db.reading() as reader:
        assert db.values(reader, "select key from documents") == ["mice.md"]
        assert db.values(reader, "select name from own_corpora") == ["notes"]


@pytest.mark.parametrize("what", ["", "/sites/{site}"])
def test_what_was_deleted_is_forgotten_however_long_the_queue_stood_still(
    ada: Uploader, what: str
) -> None:
    corpus = ada.corpus()
    added = ada.ask("POST", f"{corpus}/sites", json={"url": "https://owls.example.org/"})
    site = added.get_json()["id"]
    ada.upload(corpus, "owls.md", OWLS)
    with db.transaction() as tx:
        tx.execute("update documents set site_id = (select id from own_sites)")
    assert ada.ask("DELETE", corpus + what.format(site=site)).status_code == 204
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind like '%.forget'"
        )
        sweep.sweep(tx)
        tx.execute("update jobs set run_at = now() where kind like '%.forget'")
        waiting = "select id from jobs where kind like '%%.forget' and state = 'queued'"
        again = list(db.values(tx, waiting))
    builders.run(ada.settings, again)
    with db.reading() as reader:
        assert db.values(reader, "select key from documents") == []


def test_a_search_says_that_its_corpus_was_deleted_meanwhile(ada: Uploader) -> None:
    corpus, other = ada.corpus("handbook"), ada.corpus("notes")
    ada.upload(corpus, "owls.md", OWLS)
    ada.upload(other, "more.md", OWLS)
    begun = [ada.begin(QUESTION, corpora=names) for names in (["handbook"], ["handbook", "notes"])]
    ada.ask("DELETE", corpus)
    read_all(ada.settings)
    alone, together = (ada.searched(id) for id in begun)
    assert (len(alone["result"]["sources"]), len(together["result"]["sources"])) == (0, 1)
    warnings = ["corpus_deleted: a corpus that was to be searched is deleted."]
    assert alone["warnings"] == together["warnings"] == warnings
    assert ada.search(QUESTION, corpora=["notes"])["warnings"] == []
