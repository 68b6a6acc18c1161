"""Programs that are forked from one that has loaded them, in a process of their own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.config.settings import environment
from app.local.embedded.children import alive
from tests.servers import until

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
PROGRAM = """
import os, sys, time
def main():
    print(os.environ, os.getcwd(), sys.argv, "up", flush=True)
    if "end" in sys.argv:
        return 3
    time.sleep(60)
"""
# What it prints before the program is released, and after.
SCRIPT = """
import sys, time
from pathlib import Path
from app.local.embedded import prepared
from app.local.embedded.supervisor import Program
prepared._load = lambda: None
folder, *rest = sys.argv[1:]
command = " ".join(["python", "-m", "program", *rest])
with prepared.prepared({"it": command}, Path("/")) as waiting:
    log, environment = Path(folder, "log"), {"ONLY": "this"}
    program = Program(
        "it", command, log=log, folder=Path(folder), environment=environment, prepared=waiting["it"]
    )
    print(waiting["it"].pid, flush=True)
    for order in sys.stdin:
        if order == "start\\n":
            program.start()
        elif order == "bury\\n":
            while program.running:
                time.sleep(0.01)
            print(program.bury(), flush=True)
"""
Start = Callable[..., tuple["subprocess.Popen[str]", int]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the process, and says which one it has prepared."""
    (tmp_path / "program.py").write_text(PROGRAM)
    variables = environment() | {"PYTHONPATH": f"{ROOT}:{tmp_path}"}
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str) -> tuple["subprocess.Popen[str]", int]:
        command = [sys.executable, "-c", SCRIPT, tmp_path, *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, env=variables, stdin=pipe, stdout=pipe, text=True)
        started.append(process)
        assert process.stdout is not None
        return process, int(process.stdout.readline())

    yield run
    for process in started:
        process.kill()
        process.communicate()


def order(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def printed(folder: Path) -> str:
    log = folder / "log"
    return log.read_text() if log.exists() else ""


def test_a_released_program_has_its_environment_folder_and_arguments_and_its_end_is_known(
    start: Start, tmp_path: Path
) -> None:
    process, _ = start("end")
    order(process, "start")
    until(lambda: "up" in printed(tmp_path))
    assert "environ({'ONLY': 'this'})" in printed(tmp_path)
    assert f"{tmp_path} ['program', 'end'] up" in printed(tmp_path)
    order(process, "bury")
    assert process.stdout is not None
    assert process.stdout.readline() == "3\n"


def test_a_program_does_nothing_before_it_is_released(start: Start, tmp_path: Path) -> None:
    process, pid = start()
    assert process.communicate()[0] == ""
    assert (alive(pid), printed(tmp_path)) == (False, "")


def test_it_is_listed_with_its_command_and_ends_with_the_process_that_prepared_it(
    start: Start, tmp_path: Path
) -> None:
    process, pid = start()
    order(process, "start")
    until(lambda: "up" in printed(tmp_path))
    shown = Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0")
    assert shown == "python -m program"
    process.send_signal(signal.SIGKILL)
    until(lambda: not alive(pid))


def test_one_that_is_killed_before_its_release_is_buried_as_any(start: Start) -> None:
    process, pid = start()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not alive(pid))
    order(process, "start")
    order(process, "bury")
    assert process.stdout is not None
    assert process.stdout.readline() == "-9\n"
