"""The environment that `make run` makes, for tests of what a newcomer runs; and make itself."""

import fcntl
import subprocess
import sys
from functools import cache
from pathlib import Path

from app.core.config.settings import environment

ROOT = Path(__file__).parents[1]
FOLDER = Path(sys.prefix) / "installed"


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """As if no other make had started this test."""
    inherited = ("MAKE", "MFLAGS", "VENV")
    outside = {n: x for n, x in environment().items() if not n.startswith(inherited)}
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=outside, capture_output=True, text=True, check=True
    )


@cache
def programs() -> Path:
    """The folder of its programs. The first test that asks makes it, or brings it up to date."""
    with FOLDER.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes of pytest may ask
        make("--no-print-directory", f"VENV={FOLDER}", f"PYTHON={sys.executable}", "install")
    return FOLDER / "bin"
