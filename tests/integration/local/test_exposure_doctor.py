"""`citegrid-server doctor` on who can reach the API."""

from dataclasses import replace

import pytest
import redis

from app.core.config.settings import Settings
from app.core.http import proxies
from app.local.doctor.exposure import examine

PUBLIC = {"service_base_url": "https://api.example.org"}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GUNICORN_CMD_ARGS", raising=False)
    monkeypatch.delenv("PORT", raising=False)


def verdict(settings: Settings) -> tuple[str, str]:
    [finding] = examine(settings)
    return finding.verdict, finding.what


def test_a_local_run_is_well(settings: Settings) -> None:
    assert verdict(settings) == ("ok", "The API is accessible from this machine only")


def test_listening_beyond_this_machine_without_a_proxy_is_warned_of(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, expected in (
        ("--bind 0.0.0.0:8000", "warn"),
        ("--bind=[::]:8000", "warn"),
        ("-b 192.0.2.1:80", "warn"),
        ("-b 127.0.0.1:1 -b 0.0.0.0:2", "warn"),
        ("--bind 127.0.0.1:1", "ok"),
        ("--bind [::1]:1", "ok"),
        ("--bind localhost:1", "ok"),
        ("-b unix:/run/x", "ok"),
    ):
        monkeypatch.setenv("GUNICORN_CMD_ARGS", arguments)
        assert verdict(settings)[0] == expected, arguments


def test_a_public_address_without_a_trusted_proxy_is_warned_of(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verdict(replace(settings, **PUBLIC))[0] == "warn"
    monkeypatch.setenv("GUNICORN_CMD_ARGS", "--bind 10.0.0.5:8000")
    assert verdict(replace(settings, trusted_proxies=1, **PUBLIC))[0] == "ok"


def test_a_proxy_that_was_noticed_is_warned_of(settings: Settings) -> None:
    with redis.Redis.from_url(settings.redis_url) as client:
        client.set(proxies.KEY, 1)
    assert verdict(settings) == ("warn", "Requests pass through an untrusted proxy")


def test_it_does_without_redis(settings: Settings) -> None:
    assert verdict(replace(settings, redis_url="redis://127.0.0.1:1"))[0] == "ok"
