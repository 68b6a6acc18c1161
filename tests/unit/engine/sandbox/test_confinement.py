"""What a confined process cannot do any more. Each attempt is made in a process of its own."""

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


def attempt(call: str) -> str:
    program = (
        f"{BEFORE}parent = os.getppid()\nconfine(256 << 20)\n"
        f"try:\n    {call}\nexcept (OSError, ImportError):\n    os.write(1, b'refused')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_is_refused(call: str) -> None:
    assert attempt(call) == "refused"


def test_memory_beyond_the_limit_is_refused() -> None:
    assert "MemoryError" in attempt("bytearray(512 << 20)")


WALLS = (
    "import app.engine.sandbox.confinement as c\n"
    "{change}os.write(1, repr(c.confine(9 << 20)).encode())"
)


def missing(change: str = "") -> str:
    """What `confine` says of walls, in a process where `change` was done before."""
    program = BEFORE + WALLS.format(change=change)
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    return ended.stdout + ended.stderr


def test_every_wall_stands_here() -> None:
    assert missing() == "[]"


@pytest.mark.parametrize(
    "change",
    [
        "c._MACHINES = {}\n",
        "c._MACHINES = {name: (*two, 9999) for name, (*two, _) in c._MACHINES.items()}\n",
    ],
    ids=["no filter for this machine", "the kernel refuses the filter"],
)
def test_a_filter_of_calls_that_is_missing_is_named(change: str) -> None:
    assert missing(change) == "['calls']"


def test_a_limit_that_the_system_refuses_is_named() -> None:
    assert missing("c.resource.RLIMIT_CORE = 9999\n") == "['core']"


def test_computing_goes_on() -> None:
    assert attempt("os.write(1, str(sum(range(10_000_000))).encode())") == "49999995000000"
