"""What strangers get without a key: files and the documents of the interface, at little cost."""

import gzip

import pytest
from flask.testing import FlaskClient

from app.web.frame import assets
from app.web.interface import docs

DOCUMENTS = ("/docs", "/openapi.json")


@pytest.mark.parametrize(
    "path",
    [
        "/static/x/../app.css",
        "/static/./app.css",
        "/static/x/y/../../app.css",
        "/static/vendor/../app.css",
        "/static/app.css?%ff",
        "/static/app.css?\xff",
        "/static/vendor/htmx.js?\xff",
        "/static/..%2f..%2fwsgi.py",
        "/static/%00",
        "/static/",
        "/static/" + "a" * 3_000,
    ],
)
def test_no_spelling_of_a_file_is_a_failure_of_ours(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        assert answer.status_code in (200, 404)
        assert "immutable" not in answer.headers.get("Cache-Control", "")


def test_a_file_is_kept_for_a_year_under_the_address_of_its_content(client: FlaskClient) -> None:
    with client.get(assets.asset("app.css")) as answer:
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_other_spellings_of_a_file_are_remembered_nowhere(client: FlaskClient) -> None:
    before = dict(assets._digests())
    for folder in range(20):
        client.get(f"/static/{folder}/../app.css").close()
    assert assets._digests() == before


@pytest.mark.parametrize("path", DOCUMENTS)
def test_who_has_the_document_is_not_sent_it_again(client: FlaskClient, path: str) -> None:
    tag = client.get(path).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("path", DOCUMENTS)
def test_who_takes_gzip_gets_a_tenth(client: FlaskClient, path: str) -> None:
    plain = client.get(path)
    packed = client.get(path, headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 10
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("refused", ["", "identity", "gzip;q=0", "br"])
def test_who_does_not_take_gzip_gets_none(client: FlaskClient, refused: str) -> None:
    answer = client.get("/docs", headers={"Accept-Encoding": refused})
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_the_page_of_the_interface_is_rendered_once(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/docs")
    monkeypatch.setattr(docs, "render_template", None)
    assert client.get("/docs").status_code == 200
