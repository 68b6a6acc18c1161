"""The parent of a node's process, with small programs in its place; and the unit for systemd."""

import shlex
import signal
import subprocess
import sys
from pathlib import Path

from server_double import Hurried, Notes

from citegrid.node.service_unit import unit
from citegrid.node.supervisor import Supervisor

DYING = """
import pathlib, sys
count = pathlib.Path(sys.argv[1])
count.write_text(count.read_text() + "x" if count.exists() else "x")
sys.exit({"x": 1, "xx": 9}.get(count.read_text(), int(sys.argv[2])))
"""
PARENT = """
import sys
from citegrid.node.journal import Journal
from citegrid.node.pace import Pace
from citegrid.node.supervisor import Supervisor
sys.exit(Supervisor([sys.executable, "-S", "-c", sys.argv[1]], Journal(), Pace()).run())
"""
WAITING = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b"finished\\n"), sys.exit(0)))
print("ready", flush=True)
sys.stdin.read()
print("orphaned", flush=True)
"""


def supervised(count: Path, last: int) -> tuple[int, Hurried]:
    pace = Hurried()
    command = [sys.executable, "-S", "-c", DYING, str(count), str(last)]
    code = Supervisor(command, Notes(), pace).run()  # type: ignore[arg-type]
    return code, pace


def test_a_process_that_dies_is_started_again_after_growing_pauses(tmp_path: Path) -> None:
    code, pace = supervised(tmp_path / "count", 0)
    assert (code, pace.pauses) == (0, [2.0, 4.0])


def test_a_process_whose_token_is_refused_is_not_started_again(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("xx")
    assert supervised(tmp_path / "count", 4)[0] == 4
    assert (tmp_path / "count").read_text() == "xxx"


def parent() -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PARENT, WAITING]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert started.stdout
    assert started.stdout.readline() == "ready\n"
    return started


def rest(started: "subprocess.Popen[str]") -> str:
    assert started.stdout
    return started.stdout.read()


def test_a_request_to_stop_is_passed_on() -> None:
    with parent() as started:
        started.send_signal(signal.SIGTERM)
        assert rest(started) == "finished\n"
        assert started.wait() == 0


def test_the_process_notices_that_its_parent_was_killed() -> None:
    with parent() as started:
        started.kill()
        assert rest(started) == "orphaned\n"


def test_the_unit_runs_the_command_and_does_not_repeat_what_would_change_nothing() -> None:
    text = unit(["/usr/bin/python3", "-m", "citegrid", "node", "run", "--name", "my node 50%"])
    (line,) = (each for each in text.splitlines() if each.startswith("ExecStart="))
    assert shlex.split(line.removeprefix("ExecStart="))[-1] == "my node 50%%"
    assert "RestartPreventExitStatus=2 3 4" in text
