"""An avatar: its owner reads what was uploaded, everybody else a copy without metadata."""

import base64
import hashlib
import io
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from tests.integration.providers.conftest import Provider, problem

OWN, PUBLIC = "/v1/provider-profile/avatar", "/public/providers/ada/avatar"
MOST_TEXT = 393_216 - len('{"data_url": ""}')


def picture(form: str = "JPEG", **options: Any) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (30, 20), "teal").save(file, form, **options)
    return file.getvalue()


def upload(provider: Provider, content: bytes, form: str = "jpeg") -> TestResponse:
    text = f"data:image/{form};base64,{base64.b64encode(content).decode()}"
    return provider.call("POST", OWN, {"data_url": text})


@pytest.fixture
def published(ada: Provider) -> Provider:
    ada.save_profile()
    assert upload(ada, picture(comment=b"home address")).status_code == 200
    return ada


@pytest.mark.parametrize("form", ["png", "jpeg", "webp"])
def test_the_owner_reads_the_upload_byte_for_byte(ada: Provider, form: str) -> None:
    ada.save_profile(published=False)
    content = picture(form.upper())
    assert upload(ada, content, form).get_json()["profile"]["avatar_url"] == OWN
    answer = ada.call("GET", OWN)
    assert (answer.data, answer.content_type) == (content, f"image/{form}")


def test_everybody_reads_a_copy_without_its_metadata(
    published: Provider, client: FlaskClient
) -> None:
    answer = client.get(PUBLIC)
    assert answer.content_type == "image/webp"
    assert Image.open(io.BytesIO(answer.data)).size == (30, 20)
    assert b"home address" not in answer.data
    profile = client.get("/public/providers/ada").get_json()["profile"]
    assert profile["avatar_url"] == PUBLIC


@pytest.mark.parametrize("who", ["owner", "everybody"])
def test_a_picture_is_a_picture_to_a_browser(
    published: Provider, client: FlaskClient, who: str
) -> None:
    answer = published.call("GET", OWN) if who == "owner" else client.get(PUBLIC)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'"
    assert answer.headers["ETag"] == f'"{hashlib.sha256(answer.data).hexdigest()}"'
    cached = {"owner": "no-store", "everybody": "public, max-age=5"}
    assert answer.headers["Cache-Control"] == cached[who]


def test_who_has_the_picture_is_not_sent_it_again(published: Provider, client: FlaskClient) -> None:
    tag = client.get(PUBLIC).headers["ETag"]
    again = client.get(PUBLIC, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert client.get(PUBLIC, headers={"If-None-Match": '"another"'}).status_code == 200


def test_null_removes_the_avatar(published: Provider, client: FlaskClient) -> None:
    answer = published.call("POST", OWN, {"data_url": None})
    assert answer.get_json()["profile"]["avatar_url"] is None
    assert problem(published.call("GET", OWN)) == (404, "avatar_not_found")
    assert problem(client.get(PUBLIC)) == (404, "avatar_not_found")


def test_saving_the_profile_keeps_the_avatar(published: Provider) -> None:
    assert published.save_profile(handle="ada-2").get_json()["profile"]["avatar_url"] == OWN


def test_a_hidden_profile_shows_its_avatar_to_its_owner_only(
    published: Provider, client: FlaskClient
) -> None:
    published.save_profile(published=False)
    assert published.call("GET", OWN).status_code == 200
    assert problem(client.get(PUBLIC)) == (404, "avatar_not_found")


def test_where_no_avatar_is_shown_there_is_none(client: FlaskClient) -> None:
    for handle in ("ada", "nobody", "A", "a%00b", "x" * 300):
        assert problem(client.get(f"/public/providers/{handle}/avatar")) == (
            404,
            "avatar_not_found",
        )


def test_an_avatar_needs_a_profile(ada: Provider) -> None:
    assert problem(upload(ada, picture())) == (409, "profile_required")
    assert problem(ada.call("POST", OWN, {"data_url": None})) == (409, "profile_required")
    assert problem(ada.call("GET", OWN)) == (404, "avatar_not_found")


def test_what_is_no_picture_is_refused(published: Provider) -> None:
    for value in (1, True, [], {}, "", "https://example.org/a.png"):
        assert problem(published.call("POST", OWN, {"data_url": value})) == (400, "invalid_avatar")
        assert published.call("GET", OWN).status_code == 200, value


def test_another_shape_of_body_fails_validation(published: Provider) -> None:
    for body in ({}, {"data_url": None, "url": None}, {"dataUrl": None}):
        assert problem(published.call("POST", OWN, body)) == (400, "validation_failed"), body


def test_a_body_of_what_no_avatar_needs_is_too_large(published: Provider) -> None:
    longest = published.call("POST", OWN, {"data_url": "x" * MOST_TEXT})
    assert problem(longest) == (400, "invalid_avatar")
    longer = published.call("POST", OWN, {"data_url": "x" * (MOST_TEXT + 1)})
    assert problem(longer) == (413, "payload_too_large")
