"""What strangers get without a key: files and the documents of the interface, at little cost."""

import gzip

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web.frame import assets
from app.web.interface import docs

DOCUMENTS = ("/docs", "/openapi.json")


@pytest.fixture
def client(site: Flask, redis_url: str) -> FlaskClient:
    """A stranger whom nobody has limited; the documents are made once for all of them."""
    return site.test_client()


@pytest.mark.parametrize(
    "path",
    [
        "/static/x/../app.css",
        "/static/vendor/../app.css",
        "/static/app.css?%ff",
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


@pytest.mark.parametrize("name", ["app.css", "app.js"])
def test_a_file_is_sent_compressed_to_who_takes_it(client: FlaskClient, name: str) -> None:
    plain = client.get(assets.asset(name))
    packed = client.get(assets.asset(name), headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert len(packed.data) < len(plain.data) / 2
    assert packed.content_type == plain.content_type


def test_other_spellings_of_a_file_are_remembered_nowhere(client: FlaskClient) -> None:
    before = dict(assets._files())
    for folder in range(20):
        client.get(f"/static/{folder}/../app.css").close()
    assert assets._files() == before


@pytest.mark.parametrize("path", DOCUMENTS)
def test_who_has_the_document_is_not_sent_it_again(client: FlaskClient, path: str) -> None:
    tag = client.get(path).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")


def test_who_takes_gzip_gets_a_tenth(client: FlaskClient) -> None:
    plain = client.get("/openapi.json")
    packed = client.get("/openapi.json", headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 10
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("refused", ["", "identity", "gzip;q=0", "br"])
def test_who_does_not_take_gzip_gets_none(client: FlaskClient, refused: str) -> None:
    answer = client.get("/openapi.json", headers={"Accept-Encoding": refused})
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_an_area_of_the_interface_is_rendered_once(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/docs/searches")
    monkeypatch.setattr(docs, "render_template", None)
    assert "Create a search" in client.get("/docs/searches").text


def test_no_page_of_the_interface_is_long(client: FlaskClient) -> None:
    areas = docs.interface(client.application).areas
    assert len(areas) > 20
    pages = {name: client.get(f"/docs/{name}") for name in areas}
    assert {page.status_code for page in pages.values()} == {200}
    assert [name for name, page in pages.items() if len(page.data) > 150_000] == []
    assert [name for name, page in pages.items() if page.text.count("</") > 3_000] == []


def test_every_operation_has_one_entry_that_leads_to_it(client: FlaskClient) -> None:
    contents = client.get("/docs").text
    areas = docs.interface(client.application).areas.values()
    links = [(area.name, each["id"]) for area in areas for each in area.operations]
    assert len(links) > 100
    for area, id in links:
        assert contents.count(f'<li id="{id}"><a href="/docs/{area}#{id}">') == 1


def test_the_interface_is_searched_without_a_script(client: FlaskClient) -> None:
    found = client.get("/docs?q=ROLL+key").text
    assert 'href="/docs/api-keys#rollApiKey"' in found
    assert "createSearch" not in found
    assert "Nothing matches" in client.get("/docs?q=%3Cscript%3Ealert(1)%3C/script%3E").text
    assert "<script>alert" not in client.get("/docs?q=%3Cscript%3Ealert(1)%3C/script%3E").text


@pytest.mark.parametrize("name", ["nothing", "Searches", "%00"])
def test_an_area_that_there_is_not_is_not_found(client: FlaskClient, name: str) -> None:
    assert client.get(f"/docs/{name}", headers={"Accept": "text/html"}).status_code == 404
