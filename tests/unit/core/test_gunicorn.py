"""The server's own settings agree with those of the application."""

import os
import runpy
from pathlib import Path
from typing import Any

import pytest
from marshmallow.validate import Range

from app.core.config.settings import Settings
from app.core.http.long_poll import WaitIn

FILE = Path(__file__).parents[3] / "deploy" / "gunicorn.conf.py"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    variables = {"DATABASE_URL": "port=0", "REDIS_URL": "redis://unused", "SECRET_KEY": "x" * 32}
    monkeypatch.setattr(os, "environ", variables)  # one of the files adds its defaults
    return runpy.run_path(str(FILE))


@pytest.fixture
def waiting(server: dict[str, Any]) -> dict[str, Any]:
    return runpy.run_path(str(FILE.with_name("gunicorn.waiting.py")))


def test_a_stopping_server_outlasts_the_longest_wait(server: dict[str, Any]) -> None:
    (bounds,) = WaitIn().fields["wait"].validators
    assert isinstance(bounds, Range)
    assert server["graceful_timeout"] > bounds.max


def test_the_server_has_the_threads_that_were_checked(server: dict[str, Any]) -> None:
    assert server["threads"] == Settings.from_env().web_threads


def test_ours_serves_unless_told_otherwise(server: dict[str, Any]) -> None:
    assert server["worker_class"] == "app.serving.worker.Patient"


@pytest.mark.usefixtures("server")
def test_behind_a_proxy_gunicorns_own_may_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEB_WORKER", "gthread")
    assert runpy.run_path(str(FILE))["worker_class"] == "gthread"
    assert runpy.run_path(str(FILE.with_name("gunicorn.waiting.py")))["worker_class"] == "gthread"


def test_chats_have_longer_to_end_than_other_requests(
    server: dict[str, Any], waiting: dict[str, Any]
) -> None:
    assert waiting["graceful_timeout"] > server["graceful_timeout"]
