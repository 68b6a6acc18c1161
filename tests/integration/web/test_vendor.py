"""Scripts of others, from this origin."""

import pytest
from flask import Flask

from app.web.frame import vendor

pytestmark = pytest.mark.skipif(not vendor.addresses(), reason="make assets was not done")


@pytest.fixture
def bare() -> Flask:
    app = Flask("bare")
    app.register_blueprint(vendor.bp)
    return app


@pytest.mark.parametrize("name", vendor.FILES)
def test_a_script_is_kept_for_a_year_under_the_address_of_its_content(
    bare: Flask, name: str
) -> None:
    [address] = [address for address in vendor.addresses() if name in address]
    answer = bare.test_client().get(address)
    assert answer.status_code == 200
    assert answer.content_type == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("query", ["", "?0123456789ab"])
def test_under_another_address_it_is_asked_for_again(bare: Flask, query: str) -> None:
    answer = bare.test_client().get(f"/static/vendor/htmx.js{query}")
    assert answer.headers["Cache-Control"] == "no-cache"
    etag = {"If-None-Match": answer.headers["ETag"]}
    assert bare.test_client().get("/static/vendor/htmx.js", headers=etag).status_code == 304


def test_no_other_file_of_the_wheel_is_sent(client: object) -> None:
    assert client.get("/static/vendor/htmx-2.js").status_code == 404  # type: ignore[attr-defined]
