"""Programs that validate, where this machine has them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS


def validator(name: str, package: str) -> str:
    """A program of Debian's; without it the test is skipped, and says what to install."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if path is None:
        pytest.skip(f"not validated: {name} is missing (apt-get install {package})")
    return path


def of_environment(name: str) -> str:
    """The path of a program that requirements/deploy.lock installs."""
    return str(Path(sys.executable).with_name(name))


def succeed(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; fails with it when the command does."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
