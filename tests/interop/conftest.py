"""The official programs, installed once below the environment, and a server to try them on."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.config.settings import environment
from tests.deployed import ROOT
from tests.integration.client.conftest import idle_server
from tests.integration.conftest import owner

__all__ = ["idle_server", "npm", "owner", "run"]

PACKAGES = Path(__file__).with_name("package.json")


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder of the installed programs, among them a Node that is new enough for all."""
    program = shutil.which("npm")
    if program is None:
        pytest.skip("npm is missing: these programs come from there")
    home = Path(sys.prefix) / "interop"
    home.mkdir(exist_ok=True)
    wanted = PACKAGES.read_text(encoding="utf-8")
    stamp = home / "installed.json"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.copy(PACKAGES, home)
        install = [program, "install", "--prefix", str(home), "--no-audit", "--no-fund"]
        done = subprocess.run(install, capture_output=True, text=True, timeout=600)
        if done.returncode:
            pytest.skip(f"npm could not install them: {done.stderr[-300:]}")
        stamp.write_text(wanted, encoding="utf-8")
    return home / "node_modules" / ".bin"


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"exit code {self.code}\n{self.out[-6000:]}\n{self.err[-2000:]}"


Run = Callable[..., Ended]


@pytest.fixture
def run(npm: Path, tmp_path: Path) -> Run:
    """`run("conformance", "server", ...)`: one of the programs, in a folder of its own."""

    def run(program: str, *arguments: str) -> Ended:
        variables = {
            **environment(),
            "PATH": f"{npm}:{Path(sys.executable).parent}:{environment()['PATH']}",
            "HOME": str(tmp_path),
        }
        done = subprocess.run(
            [str(npm / program), *arguments],
            cwd=tmp_path,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


def pytest_report_header() -> str:
    return f"interop: pinned in {PACKAGES.relative_to(ROOT)}"
