"""Pages that stand before the one that was asked for yield no record."""

import pytest

from app.engine.extraction.records.extract import PageRecords, extract
from app.engine.extraction.schema.schema import plan
from app.engine.sandbox.documents import Document, Extraction
from app.engine.sandbox.extract import extract_document

URL = "https://lamps.example/blue"
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "description": {"type": "string"}},
    "required": ["title"],
}
LOGIN = (
    "<form><label>E-mail<input name=e></label><label>Password<input type=password></label></form>"
)
COOKIES = (
    "<p>We and our partners use cookies. Cookies keep your consent. Read our privacy policy.</p>"
    "<form><button>Accept all</button><button>Reject all</button></form>"
)
LAMP = "<p>A lamp of blue glass that hangs over a table and lights it until late at night.</p>"


def read(title: str, body: str) -> PageRecords:
    markup = f"<html><title>{title} | lamps</title><body><h1>{title}</h1>{body}</body></html>"
    return extract(markup, URL, plan(SCHEMA))


@pytest.mark.parametrize(
    "title",
    ["Sign in", "Log in to your account", "Login", "Anmelden", "Iniciar sesión", "ログイン"],
)
def test_a_login_has_no_record(title: str) -> None:
    page = read(title, f"<p>Welcome back.</p>{LOGIN}<a href=/new>Forgot your password?</a>")
    assert (page.gate, page.records) == ("login_wall", ())


@pytest.mark.parametrize("title", ["Before you continue", "Cookie settings", "Vie privée"])
def test_a_consent_has_no_record(title: str) -> None:
    page = read(title, COOKIES)
    assert (page.gate, page.records) == ("consent_wall", ())


@pytest.mark.parametrize(
    "title",
    [
        "Access denied",
        "503 Service Unavailable",
        "Just a moment...",
        "Something went wrong",
        "Error 500",
    ],
)
def test_an_error_has_no_record(title: str) -> None:
    page = read(title, "<p>Please try again later, or write to us.</p>")
    assert (page.gate, page.records) == ("error_page", ())


def test_a_page_that_is_not_there_has_no_record() -> None:
    assert read("Page not found", "<p>We looked everywhere for it.</p>").records == ()


@pytest.mark.parametrize(
    "title",
    [
        "Blue lamp",
        "500 Main Street",
        "Forbidden City",
        "Sign of the lamp",
        "Login: how it works and why it fails so often",
    ],
)
def test_a_thing_with_a_login_beside_it_is_a_record(title: str) -> None:
    page = read(title, f"{LAMP}{LOGIN}")
    assert page.gate is None
    assert page.records


def test_a_long_page_called_a_login_is_read() -> None:
    assert read("Login", f"{LAMP * 20}{LOGIN}").records


def test_a_gate_stands_in_place_of_its_page() -> None:
    markup = f"<html><title>Sign in</title><body><h1>Sign in</h1>{LOGIN}</body></html>"
    document = Document(markup.encode(), "text/html", "utf-8", URL)
    assert extract_document(document, Extraction(SCHEMA)).facts.blocked == "login_wall"
