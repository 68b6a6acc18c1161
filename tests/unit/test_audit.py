"""A known weakness of a dependency fails the audit; so does what cannot be looked up, unless a run
accepts that.
"""

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
GOOD = {"name": "celery", "version": "5.6.0", "vulns": []}
UNKNOWN = {"name": "vine", "skip_reason": "not found"}
AWAY = "requests.exceptions.SSLError: no"


class Audit:
    """An audit whose pip-audit says what the test wants."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._program, self._patch = folder / "pip-audit", monkeypatch

    def found(self, *packages: object, options: tuple[str, ...] = ()) -> object:
        answer = json.dumps({"dependencies": packages})
        return self._status(f"print({answer!r})", options)

    def failed(self, problem: str, options: tuple[str, ...] = ()) -> object:
        return self._status(f"import sys; sys.exit({problem!r})", options)

    def _status(self, code: str, options: tuple[str, ...]) -> object:
        self._program.write_text(f"#!{sys.executable}\n{code}\n")
        self._program.chmod(0o755)
        self._patch.setattr(sys, "argv", ["audit", str(self._program), *options])
        try:
            audit.main()
        except SystemExit as ended:
            return ended.code
        return 0


@pytest.fixture
def audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    return Audit(tmp_path, monkeypatch)


def test_all_that_is_known_and_good_passes(audited: Audit) -> None:
    assert audited.found(GOOD) == 0


def test_a_known_weakness_fails_it(audited: Audit) -> None:
    assert audited.found(GOOD, WEAK) == audit.WEAK


@pytest.mark.parametrize("packages", [(), (UNKNOWN,), (GOOD, UNKNOWN)])
def test_what_was_not_looked_at_has_a_status_of_its_own(
    audited: Audit, capsys: pytest.CaptureFixture[str], packages: tuple[object, ...]
) -> None:
    assert audited.found(*packages) == audit.NOT_AUDITED
    assert "NOT AUDITED" in capsys.readouterr().out


def test_a_service_that_is_away_has_that_status_too(audited: Audit) -> None:
    assert audited.failed(AWAY) == audit.NOT_AUDITED


def test_a_run_may_accept_that_nothing_was_looked_at_and_says_so(
    audited: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited.failed(AWAY, (audit.ACCEPTED,)) == 0
    assert "NOT AUDITED" in capsys.readouterr().out


def test_no_run_accepts_a_weakness(audited: Audit) -> None:
    assert audited.found(WEAK, UNKNOWN, options=(audit.ACCEPTED,)) == audit.WEAK


def test_an_audit_that_breaks_down_is_no_outcome_that_a_run_accepts(audited: Audit) -> None:
    ended = audited.failed("ValueError: no", (audit.ACCEPTED,))
    assert ended == "pip-audit failed: ValueError: no"
