"""Routes that are not settled say so with every answer."""

from flask import Flask
from flask.testing import FlaskClient

from app.core.http import Api, Blueprint


def client_of(*, preview: bool) -> FlaskClient:
    app = Flask("app")
    app.config.update(API_TITLE="t", API_VERSION="v1", OPENAPI_VERSION="3.1.0")
    bp = Blueprint("things", __name__, preview=preview)
    bp.route("/things")(lambda: "fine")
    Api(app).register_blueprint(bp)
    return app.test_client()


def test_an_answer_of_a_preview_route_says_so() -> None:
    answer = client_of(preview=True).get("/things")
    assert (answer.status_code, answer.headers["X-API-Status"]) == (200, "preview")


def test_an_error_of_a_preview_route_says_so_too() -> None:
    answer = client_of(preview=True).get("/things?unknown=1")
    assert (answer.status_code, answer.headers["X-API-Status"]) == (400, "preview")


def test_other_routes_say_nothing() -> None:
    assert "X-API-Status" not in client_of(preview=False).get("/things").headers
