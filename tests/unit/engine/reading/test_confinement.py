"""What a confined process cannot do any more. Each attempt is made in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")
ROOT = Path(__file__).parents[4]
BEFORE = (
    "import ctypes, os, signal, socket, sys\nfrom app.engine.reading.confinement import confine\n"
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
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_is_refused(call: str) -> None:
    assert attempt(call) == "refused"


def test_memory_beyond_the_limit_is_refused() -> None:
    assert "MemoryError" in attempt("bytearray(512 << 20)")


def test_computing_goes_on() -> None:
    assert attempt("os.write(1, str(sum(range(10_000_000))).encode())") == "49999995000000"
