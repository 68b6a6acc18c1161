"""Both sides of each seam agree: routes and access, kinds and handlers, queues and processes."""

import re
import shlex
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from app.core.errors import catalogue
from app.core.http import access
from app.domains.queue.jobs import kinds
from workers.queue import attempt
from workers.queue.celery import HANDLERS, create_worker

ROOT = Path(__file__).parents[2]


PUBLIC_PAGES = {
    "account_pages.create_account",
    "account_pages.enter",
    "account_pages.sign_in",
    "account_pages.sign_up",
    "account_pages.start_session",
    "alert_link_pages.ask",
    "alert_link_pages.ask_to_stop",
    "alert_link_pages.confirm",
    "docs_pages.area",
    "docs_pages.index",
    "offer_pages.compare",
    "offer_pages.export",
    "offer_pages.index",
    "offer_pages.models",
    "offer_pages.show",
    "provider_pages.show",
    "robot_pages.robots",
    "robot_pages.security",
    "robot_pages.sitemap",
    "sample_shop.lamps",
    "search_pages.ask",
}


def test_every_view_declares_who_may_call_it(app: Flask) -> None:
    with app.app_context():
        undeclared = [e for e in app.view_functions if access.of_endpoint(e) is None]
    assert undeclared == []


def test_only_the_listed_pages_are_public(app: Flask) -> None:
    """Of the API the table of `test_authorisation` says it."""
    with app.app_context():
        public = {e for e in app.view_functions if access.is_public(e)}
    assert {e for e in public if is_page(app, e)} == PUBLIC_PAGES


def is_page(app: Flask, endpoint: str) -> bool:
    with app.app_context():
        declared = access.of_endpoint(endpoint)
    return declared is not None and declared.page


def test_every_other_page_leads_to_the_sign_in(app: Flask, client: FlaskClient) -> None:
    for rule in app.url_map.iter_rules():
        if rule.endpoint in PUBLIC_PAGES or not is_page(app, rule.endpoint):
            continue
        path = re.sub(r"<uuid:\w+>", str(UUID(int=1)), rule.rule)
        path = re.sub(r"<int:\w+>", "1", path)
        path = re.sub(r"<any\((\w+)[^>]*>", r"\1", path)
        path = re.sub(r"<[^>]+>", "x", path)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            answer = client.open(path, method=method)
            assert answer.status_code == 303, rule
            assert answer.headers["Location"].startswith("/sign-in"), rule


def test_every_kind_of_work_has_a_handler(settings: Settings) -> None:
    celery = create_worker(settings)
    celery.loader.import_default_modules()
    ours = {
        kind.name for kind in kinds.every() if not kind.remote and not kind.name.startswith("test.")
    }
    assert ours == {name for name in attempt.handled() if not name.startswith("test.")}


@pytest.fixture(params=["Procfile", "deploy/one-machine.Procfile"])
def procfile(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    lines = (ROOT / request.param).read_text().splitlines()
    pairs = (line.split(":", 1) for line in lines if line and not line.startswith("#"))
    return {name: shlex.split(command) for name, command in pairs}


def test_every_queue_is_served_by_a_process(procfile: dict[str, list[str]]) -> None:
    served: set[str] = set()
    for words in procfile.values():
        if "-Q" in words:
            served |= set(words[words.index("-Q") + 1].split(","))
    ours = {
        kind.queue
        for kind in kinds.every()
        if not kind.remote and not kind.name.startswith("test.")
    }
    assert served == ours


def test_handlers_are_imported_by_the_worker() -> None:
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "workers").rglob("*.py")
        if "@handles(" in path.read_text()
    }
    assert set(HANDLERS) == files


def test_error_codes_are_unique_and_explained() -> None:
    seen: dict[str, type] = {}
    for error in catalogue():
        assert error.message(), error
        assert seen.setdefault(error.code, error) is error, error
