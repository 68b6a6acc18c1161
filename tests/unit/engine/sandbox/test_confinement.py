"""What a confined process cannot do any more, in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")
ROOT = Path(__file__).parents[4]
BEFORE = (
    "import ctypes, os, signal, socket, sys\nfrom app.engine.sandbox.confinement import confine\n"
)
REFUSED = {
    "opening a file": "open('/etc/passwd')",
    "writing a file": "open('/tmp/x', 'w')",
    "opening a socket": "socket.socket()",
    "listing a folder": "os.listdir('/')",
    "starting a process": "os.execv('/bin/true', ['true'])",
    "forking": "os.fork()",
    "ending its parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "becoming root again": "os.setuid(0)",
    "importing": "import decimal",
}
"""What is tried, one after the other."""
ATTEMPTS = """
attempts = {attempts}
confine(256 << 20)
for name, call in attempts.items():
    try:
        exec(call)
    except (OSError, ImportError):
        os.write(1, f"{name}\\n".encode())
try:
    bytearray(512 << 20)
except MemoryError:
    os.write(1, b"much memory\\n")
os.write(1, str(sum(range(10_000_000))).encode())
"""
WALLS = """
import app.engine.sandbox.confinement as c
{change}
os.write(1, repr(c.confine(9 << 20)).encode())
"""


def written(program: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", BEFORE + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    return ended.stdout + ended.stderr


def test_is_refused() -> None:
    lines = written(ATTEMPTS.replace("{attempts}", repr(REFUSED))).splitlines()
    assert lines == [*REFUSED, "much memory", "49999995000000"]


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ("", "[]"),
        ("c._MACHINES = {}", "['calls']"),
        (
            "c._MACHINES = {name: (*two, 9999) for name, (*two, _) in c._MACHINES.items()}",
            "['calls']",
        ),
        ("c.resource.RLIMIT_CORE = 9999", "['core']"),
    ],
    ids=["none", "no filter for this machine", "the kernel refuses the filter", "a limit"],
)
def test_a_wall_that_is_missing_is_named(change: str, missing: str) -> None:
    assert written(WALLS.replace("{change}", change)) == missing
