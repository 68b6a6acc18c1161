"""A known weakness of a dependency fails the audit; what cannot be looked up is said."""

import json
import sys
from pathlib import Path

import pytest

from tests.supply import audit

WEAK = {
    "name": "amqp",
    "version": "5.4.2",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["5.4.3"]}],
}
UNKNOWN = {"name": "vine", "skip_reason": "not found"}


def run(found: list[object], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = json.dumps({"dependencies": found})
    program = folder / "pip-audit"
    program.write_text(f"#!{sys.executable}\nprint({answer!r})\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", ["audit", str(program)])
    audit.main()


def test_a_known_weakness_fails_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as ended:
        run([WEAK], tmp_path, monkeypatch)
    assert ended.value.code == "1 known weaknesses"


def test_what_was_not_looked_at_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run([UNKNOWN], tmp_path, monkeypatch)
    assert ended.value.code == 0
    assert "NOT CHECKED: 1 packages" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        ("requests.exceptions.SSLError: no", 0),
        ("ValueError: no", "pip-audit failed: ValueError: no"),
    ],
)
def test_only_a_service_that_is_away_is_no_failure(
    problem: str, code: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit({problem!r})\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", ["audit", str(program)])
    with pytest.raises(SystemExit) as ended:
        audit.main()
    assert ended.value.code == code
