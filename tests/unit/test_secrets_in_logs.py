"""The watch over all tests sees a credential that is written."""

import io
import logging
from pathlib import Path

import pytest

from app.core import log
from tests import secrets_in_logs

KEY = "cgk_live_" + "Ab3" * 15


@pytest.mark.parametrize(
    "text",
    [
        f"key={KEY}",
        "Authorization: Bearer abcdefghijklmnopqrstuvwxyz",
        "postgresql://citegrid:hunter2@db/citegrid",
        "whsec_" + "A" * 32,
        "x" * 32,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
    ],
)
def test_a_credential_is_seen(text: str) -> None:
    assert len(secrets_in_logs.credentials(f"before {text} after")) == 1
    assert text not in secrets_in_logs.credentials(f"before {text} after")[0]


@pytest.mark.parametrize(
    "text", ["cgk_[redacted]", "://citegrid:[redacted]@db", "Bearer [redacted]", "x" * 33]
)
def test_what_is_hidden_already_is_none(text: str) -> None:
    assert secrets_in_logs.credentials(text) == []


def test_lines_of_this_process_are_looked_at(
    log_lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "redact", lambda text: text)
    log.get("test").warning("leak", key=KEY)
    logging.getLogger("theirs").warning("leak %s", KEY)
    seen = len(secrets_in_logs._found)
    secrets_in_logs._found.clear()
    assert seen == 2
    assert KEY in log_lines.getvalue()


def test_logs_of_processes_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "web.log").write_text(f"started\nkey {KEY}\n")
    with pytest.raises(AssertionError):
        secrets_in_logs.check_folder(tmp_path)
