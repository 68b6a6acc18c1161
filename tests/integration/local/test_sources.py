"""`citegrid-server sources`, over a real database."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.core.config.settings import Settings


@pytest.fixture(autouse=True)
def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("SECRET_KEY", settings.secret_key)
    monkeypatch.setattr("app.local.database.db.open", lambda *_, **__: None)
    monkeypatch.setattr("app.local.database.db.close", lambda: None)


def sources(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["sources", *words, "--data", str(folder)])


def test_domains_are_listed_after_they_were_judged(tmp_path: Path) -> None:
    sources(tmp_path, "allow", "WWW.Example.org")
    sources(tmp_path, "deny", "a.example.co.uk", "https://b.example.net/x")
    listed = json.loads(sources(tmp_path, "list", "--json").stdout)
    assert [(x["domain"], x["verdict"]) for x in listed] == [
        ("example.co.uk", "deny"),
        ("example.net", "deny"),
        ("example.org", "allow"),
    ]


def test_a_forgotten_domain_is_listed_no_more(tmp_path: Path) -> None:
    sources(tmp_path, "allow", "example.org")
    assert sources(tmp_path, "forget", "example.org").stdout == "example.org: removed\n"
    assert sources(tmp_path, "list").stdout == ""


def test_of_several_names_none_is_listed_if_one_is_wrong(tmp_path: Path) -> None:
    failed = sources(tmp_path, "deny", "example.org", "no domain")
    assert failed.exit_code == 1
    assert "not_a_domain" in failed.output
    assert sources(tmp_path, "list").stdout == ""
