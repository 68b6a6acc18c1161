"""Pages of one's own documents: upload, states in words, a first question, and deleting."""

import io
import re

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from app.domains.library.documents.schemas import MOST_BODY_BYTES
from tests.integration.documents.conftest import OWLS, read_all
from tests.integration.web.conftest import Dashboard
from tests.visiting import FROM_HERE, ORIGIN


def corpus(dashboard: Dashboard, name: str) -> str:
    """The address of a new one."""
    made = dashboard.owner.post("/documents", {"name": name})
    assert made.status_code == 303
    return str(made.headers["Location"])


def files(**contents: str) -> dict[str, object]:
    """A form with these files; `_` in a name stands for its dot."""
    named = [(io.BytesIO(text.encode()), key.replace("_", ".")) for key, text in contents.items()]
    return {"files": named}


def test_without_a_corpus_the_list_says_what_it_is_for(dashboard: Dashboard) -> None:
    assert "No documents yet" in dashboard.other.get("/documents").text


def test_files_are_uploaded_and_shown_with_their_states(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "states")
    uploaded = dashboard.owner.post(f"{path}/upload", files(owls_md=OWLS, empty_txt=" "))
    assert uploaded.status_code == 303
    assert "Waiting" in dashboard.owner.get(path).text
    read_all(dashboard.settings)
    page = dashboard.owner.get(path).text
    assert "Barn owls" in page
    assert "No text in it." in page
    assert "Ask these documents" in page


def test_a_question_is_asked_of_this_corpus_alone(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "question")
    asked = dashboard.owner.post(f"{path}/ask", {"query": "How many eggs?"})
    assert re.fullmatch(r"/searches/srch_[a-z2-7]{26}", str(asked.headers["Location"]))


@pytest.mark.parametrize(
    ("form", "problem"),
    [({}, "Select a file."), (files(film_mp4="x"), "film.mp4: This media type")],
)
def test_what_is_refused_is_told_at_the_field(
    dashboard: Dashboard, form: dict[str, object], problem: str
) -> None:
    path = corpus(dashboard, f"refused {problem}")
    page = dashboard.owner.post(f"{path}/upload", form)
    assert page.status_code == 422
    assert problem in page.text


def test_files_after_one_that_is_refused_are_kept(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "mixed")
    sent = [(io.BytesIO(text.encode()), key) for key, text in (("film.mp4", "A"), ("b.md", "B"))]
    refused = dashboard.owner.post(f"{path}/upload", {"files": sent})
    assert refused.status_code == 422
    assert "b.md" in refused.text
    assert f'hx-get="{path}"' in refused.text


@pytest.mark.parametrize(("size", "status"), [(2 << 20, 303), (MOST_BODY_BYTES, 413)])
def test_a_form_may_hold_as_much_as_a_document(
    dashboard: Dashboard, size: int, status: int
) -> None:
    path = corpus(dashboard, f"large {size}")
    visitor = dashboard.owner
    file = FileStorage(io.BytesIO(b"a" * size), "a.txt")
    form = {"csrf": visitor.csrf_token(), "files": file}
    boundary, body = encode_multipart(form)
    answer = visitor.client.post(
        f"{path}/upload",
        data=body,
        content_type=f"multipart/form-data; boundary={boundary}",
        base_url=ORIGIN,
        headers=FROM_HERE,
    )
    assert answer.status_code == status


def test_a_name_that_is_taken_is_told_at_the_field(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "taken")
    other = corpus(dashboard, "free")
    for address in ("/documents", f"{other}/rename"):
        page = dashboard.owner.post(address, {"name": "taken"})
        assert page.status_code == 422
        assert 'id="name-problem"' in page.text
    dashboard.owner.post(f"{path}/rename", {"name": "renamed"})
    assert "renamed" in dashboard.owner.get("/documents").text


def test_a_document_and_a_corpus_are_deleted(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "deleted")
    dashboard.owner.post(f"{path}/upload", files(owls_md=OWLS))
    assert dashboard.owner.post(f"{path}/remove", {"document": "owls.md"}).status_code == 303
    assert "owls.md" not in dashboard.owner.get(path).text
    assert dashboard.owner.post(f"{path}/delete").status_code == 303
    assert dashboard.owner.get(path).status_code == 404


def test_a_page_is_added_by_its_address(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "by address")
    assert 'id="url-problem"' in dashboard.owner.post(f"{path}/fetch", {"url": "owls"}).text
    added = dashboard.owner.post(f"{path}/fetch", {"url": "https://birds.example.org/owls/?a=1"})
    assert added.status_code == 303
    page = dashboard.owner.get(path).text
    assert 'href="https://birds.example.org/owls/?a=1"' in page
    assert "birds.example.org/owls/?a=1</a>" in page


def test_metadata_stands_below_the_key(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "described")
    dashboard.owner.post(f"{path}/upload", files(owls_md=OWLS))
    body = {"metadata": {"team": "<birds>", "year": 2026}}
    api_path = f"/v1/corpora/{path.rpartition('/')[2]}/documents/owls.md"
    assert dashboard.api("PATCH", api_path, body).status_code == 200
    assert "team: &lt;birds&gt;, year: 2026" in dashboard.owner.get(path).text


def test_a_site_is_added_read_again_and_deleted(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "sites")
    form = {"url": "https://birds.example.org/docs/", "kind": "site", "refresh": "daily"}
    assert dashboard.owner.post(f"{path}/fetch", form).status_code == 303
    page = dashboard.owner.get(path).text
    assert "https://birds.example.org/docs/" in page
    assert "Reading" in page
    site_path = next(iter(re.findall(rf"{path}/sites/site_[a-z2-7]{{26}}", page)))
    assert "Every page could be read." in dashboard.owner.get(site_path).text
    assert dashboard.owner.post(f"{site_path}/refresh").status_code == 303
    assert dashboard.owner.post(f"{site_path}/delete").status_code == 303
    assert "https://birds.example.org/docs/" not in dashboard.owner.get(path).text


def test_a_site_that_is_there_already_is_told_at_the_field(dashboard: Dashboard) -> None:
    path = corpus(dashboard, "twice")
    form = {"url": "https://birds.example.org/", "kind": "site"}
    dashboard.owner.post(f"{path}/fetch", form)
    page = dashboard.owner.post(f"{path}/fetch", form)
    assert "The corpus has a site at this address already." in page.text
