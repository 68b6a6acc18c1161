"""The command line over this test's own servers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.core.config.settings import Settings

Run = Callable[..., Result]


@pytest.fixture
def run(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The command line in an environment of its own; its pool does not replace the tests'."""
    monkeypatch.setenv("DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("SECRET_KEY", settings.secret_key)
    monkeypatch.setattr("app.local.database.db.open", lambda *_, **__: None)
    monkeypatch.setattr("app.local.database.db.close", lambda: None)

    def command(*words: str, typed: str | None = None) -> Result:
        data = ["--data", str(tmp_path / "data")]
        return CliRunner().invoke(main, [*words, *data], input=typed)

    return command
