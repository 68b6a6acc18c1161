"""Hooks are connected in one place, and no process starts with one that is not."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from app.core.config.settings import Settings
from app.domains.providers.work import kinds as work_kinds
from app.domains.queue.jobs import kinds
from app.local.database import database
from app.local.doctor import doctor
from app.local.embedded.state import DataFolder
from app.wsgi import create_app
from workers.queue.celery import create_worker

ROOT = Path(__file__).parents[2]
FORGOTTEN = """
from app.core.hooks import Hook
from app import wiring
Hook("nodes.FORGOTTEN")
wiring.connect()
"""
LEAN = """
import sys
from app.core.config.settings import Settings
from app.local.commands.accounts import listing
from app.local.database import database
try:
    database(Settings(database_url="port=0", redis_url="", secret_key="")).__enter__()
except Exception:
    print("app.wiring" in sys.modules)
"""
DECLARED = re.compile(r"^(\w+): Final = Hook\[.*\]\(\"(\w+\.\w+)\"\)$", re.MULTILINE)


def test_a_hook_that_nobody_connects_stops_the_start() -> None:
    start = [sys.executable, "-c", FORGOTTEN]
    ended = subprocess.run(start, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert ended.stderr.endswith("app/wiring.py connects nobody to: nodes.FORGOTTEN\n")


def test_every_hook_is_connected_under_its_name() -> None:
    wired = (ROOT / "app" / "wiring.py").read_text(encoding="utf-8")
    declared = [
        hook
        for path in (ROOT / "app" / "domains").rglob("*.py")
        for hook in DECLARED.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(declared) == wired.count(".connect(")
    for constant, name in declared:
        assert name.endswith(f".{constant}")
        assert f"    {name}.connect(" in wired, name


@pytest.mark.parametrize(
    "start",
    [
        create_app,
        create_worker,
        lambda settings: database(settings).__enter__(),
        lambda _settings: next(doctor.examine(DataFolder(Path()))),
    ],
    ids=["the API", "workers and dispatchers", "commands", "the doctor"],
)
def test_who_works_on_the_product_connects_it_first(
    start: Callable[[Settings], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "connect", _connect)
    with pytest.raises(Connecting):
        start(Settings(database_url="", redis_url="", secret_key="x" * 32))


def test_a_command_of_domains_that_call_no_others_loads_none_of_those() -> None:
    ended = subprocess.run([sys.executable, "-c", LEAN], cwd=ROOT, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("False\n", "")


class Connecting(Exception):
    """What the start was to do first."""


def _connect() -> None:
    raise Connecting


def test_kinds_of_work_of_nodes_are_connected() -> None:
    """A remote kind of job that is none of theirs would be given to nobody."""
    wiring.connect()
    given = {kind.name for kind in work_kinds.KINDS}
    assert set(kinds.remote_names()) == given
