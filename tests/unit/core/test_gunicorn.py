"""The server's own settings agree with those of the application."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from marshmallow.validate import Range

from app.core.config import Settings
from app.domains.searches.schemas import WaitIn

FILE = Path(__file__).parents[3] / "deploy" / "gunicorn.conf.py"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.setenv(name, "unused")
    monkeypatch.setenv("SECRET_KEY", "x" * 32)
    return runpy.run_path(str(FILE))


def test_a_stopping_server_outlasts_the_longest_wait(server: dict[str, Any]) -> None:
    (bounds,) = WaitIn().fields["wait"].validators
    assert isinstance(bounds, Range)
    assert server["graceful_timeout"] > bounds.max


def test_the_server_has_the_threads_that_were_checked(server: dict[str, Any]) -> None:
    assert server["threads"] == Settings.from_env().web_threads
