"""`citegrid-server rotate-keys`, as an operator types it."""

import pytest
from click.testing import CliRunner

from app.cli import main
from app.core.config.settings import Settings

OLD, NEW = "x" * 32, "y" * 32


def rotate(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    """What it says; the connections of the test stay open."""
    for name in ("database_url", "redis_url", "secret_key", "secret_key_previous"):
        monkeypatch.setenv(name.upper(), getattr(settings, name))
    monkeypatch.setattr("app.local.database.db.open", lambda *_, **__: None)
    monkeypatch.setattr("app.local.database.db.close", lambda: None)
    result = CliRunner().invoke(main, ["rotate-keys"])
    assert result.exit_code == 0, result.output
    return result.output
