"""The units of systemd, by its own programs."""

import re
import shutil
from pathlib import Path

import pytest

from tests.deploy.conftest import DEPLOY
from tests.deploy.programs import succeed, validator

FOLDER = DEPLOY / "systemd"
EXPOSURE = "20"  # of 100: systemd calls it OK

pytestmark = pytest.mark.deploy


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """Copies whose programs are there; a template stands for one of its instances."""
    for file in FOLDER.glob("citegrid*"):
        if file.is_file():
            text = re.sub(r"/opt/citegrid/.venv/bin/[\w-]+", "/bin/true", file.read_text())
            instance = "@searches" if "worker" in file.name else "@1"
            (tmp_path / file.name.replace("@", instance)).write_text(text)
    for drop_ins in FOLDER.glob("*.d"):
        shutil.copytree(drop_ins, tmp_path / drop_ins.name)
    worker = (tmp_path / "citegrid-worker@searches.service").read_text()
    for queue in ("rendering", "payments", "ledger", "corpora", "housekeeping", "extraction",
                  "campaigns", "webhooks"):  # fmt: skip
        (tmp_path / f"citegrid-worker@{queue}.service").write_text(worker)
    for name in ("web", "waiting"):
        one = (tmp_path / f"citegrid-{name}@1.service").read_text()
        (tmp_path / f"citegrid-{name}@2.service").write_text(one)
    return sorted(tmp_path.glob("*.service"))


def test_systemd_understands_every_line(units: list[Path]) -> None:
    folder = units[0].parent
    others = [*folder.glob("*.socket"), folder / "citegrid.target"]
    said = succeed(validator("systemd-analyze", "systemd"), "verify", *units, *others)
    assert "citegrid" not in said, said


def test_services_are_walled_in(units: list[Path]) -> None:
    analyze = validator("systemd-analyze", "systemd")
    for unit in units:
        if "rendering" not in unit.name:
            options = ("--offline=true", f"--threshold={EXPOSURE}", "--no-pager")
            succeed(analyze, "security", *options, unit)
