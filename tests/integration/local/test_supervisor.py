"""The supervisor over tiny real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.local.embedded import supervisor as supervisors
from app.local.embedded.children import alive
from app.local.embedded.supervisor import Program, Supervisor
from tests import pace
from tests.patience import PATIENCE_SECONDS
from tests.servers import until

ROOT = Path(__file__).parents[3]
SLEEPER = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = (
    "import signal, time;"
    "signal.signal(signal.SIGTERM, lambda *_: print('no', flush=True));"
    "print('up', flush=True); time.sleep(600)"
)
PARENT = (
    "import subprocess, sys, time;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
    "print(child.pid, flush=True); time.sleep(600)"
)


class FakeServer:
    """Counts its starts; tells the order of stops."""

    def __init__(self, stops: list[str] | None = None) -> None:
        self.running, self.starts, self.stops = True, 0, stops if stops is not None else []

    def start(self) -> None:
        self.running, self.starts = True, self.starts + 1

    def stop(self) -> None:
        self.running = False
        self.stops.append("server")


Make = Callable[..., tuple[Supervisor, Program, list[str]]]


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Make]:
    made: list[Supervisor] = []

    def make(
        code: str, grace: float = PATIENCE_SECONDS, server: FakeServer | None = None
    ) -> tuple[Supervisor, Program, list[str]]:
        log, said = tmp_path / "it.log", list[str]()
        program = Program("it", command(code), log=log, folder=tmp_path, environment={})
        servers = {"Server": server} if server else {}
        supervisor = Supervisor([program], servers, report=said.append, grace_seconds=grace)
        made.append(supervisor)
        supervisor.tick(0)
        return supervisor, program, said

    yield make
    for supervisor in made:
        supervisor.stop()


def command(code: str) -> str:
    return f'"{sys.executable}" -c "{code}"'


def said_up(program: Program, times: int = 1) -> Callable[[], bool]:
    return lambda: program.log.read_text().count("up\n") == times


def test_a_process_that_dies_is_started_again_and_reported(supervise: Make) -> None:
    supervisor, program, said = supervise(SLEEPER)
    until(said_up(program))
    os.kill(program.pid, signal.SIGKILL)
    until(lambda: supervisor.tick(0.05) or said_up(program, 2)())
    assert said == ["it was killed by signal 9; restarting."]


def test_what_a_dead_process_left_of_its_group_is_killed(supervise: Make) -> None:
    supervisor, program, said = supervise(PARENT)
    until(lambda: program.log.read_text().endswith("\n"))
    orphan = int(program.log.read_text())
    os.kill(program.pid, signal.SIGKILL)
    until(lambda: supervisor.tick(0.05) or said)
    until(lambda: not alive(orphan))


def test_pauses_between_starts_double(supervise: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    _, program, _ = supervise("raise SystemExit(3)")
    pauses = []
    for _ in range(8):
        until(lambda: not program.running)
        monkeypatch.setattr(supervisors.time, "monotonic", lambda: 0.0)
        program.bury()
        monkeypatch.undo()
        pauses.append(program.due)
        program.start()
    assert pauses == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_a_process_that_ran_for_long_is_forgiven(
    supervise: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.local.embedded.supervisor.SETTLED_SECONDS", 0.0)
    supervisor, program, said = supervise("raise SystemExit(3)")
    until(lambda: supervisor.tick(0.05) or len(said) == 3)
    assert (program.ends_in_a_row, supervisor.failing) == (1, [])


def test_a_process_that_ends_again_and_again_is_reported_with_its_last_words(
    supervise: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.local.embedded.supervisor.FIRST_PAUSE_SECONDS", 0.01)
    supervisor, _, said = supervise("raise SystemExit('no such table')")
    until(lambda: supervisor.tick(0.01) or len(said) == 3)
    assert [text.count("no such table") for text in said] == [0, 0, 3]
    assert supervisor.failing == ["it"]


def test_a_program_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    said: list[str] = []
    program = Program("it", "/no/such/program", log=tmp_path / "l", folder=tmp_path, environment={})
    supervisor = Supervisor([program], {}, report=said.append)
    supervisor.tick(0)
    supervisor.stop()
    assert said == ["it could not start: No such file or directory; restarting."]


def test_a_server_that_dies_is_started_again(supervise: Make) -> None:
    server = FakeServer()
    supervisor, _, said = supervise(SLEEPER, server=server)
    server.running = False
    supervisor.tick(0)
    assert (server.starts, said) == (1, ["Server ended unexpectedly; restarting."])


def test_stopping_lets_processes_end_and_then_stops_the_servers(
    supervise: Make, tmp_path: Path
) -> None:
    stops: list[str] = []
    goodbye = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit('bye'));"
        "print('up', flush=True); time.sleep(600)"
    )
    supervisor, program, said = supervise(goodbye, server=FakeServer(stops))
    until(said_up(program))
    supervisor.stop()
    assert program.log.read_text() == "up\nbye\n"
    assert (program.running, stops, said) == (False, ["server"], [])


def test_a_process_that_ignores_sigterm_is_killed_after_the_grace(supervise: Make) -> None:
    supervisor, program, said = supervise(STUBBORN, grace=0.2)
    until(said_up(program))
    supervisor.stop()
    assert (program.running, said) == (False, ["No longer waiting for: it."])


SCRIPT = """
import sys
from pathlib import Path
from app.local.embedded.supervisor import Program, Supervisor
log = Path(sys.argv[1])
program = Program("it", sys.argv[2], log=log, folder=log.parent, environment={})
supervisor = Supervisor([program], {}, report=lambda text: print(text, flush=True))
with supervisor.listening():
    while not supervisor.asked_to_stop:
        supervisor.tick(60)
    print("stopping", flush=True)
    supervisor.stop()
"""


@pytest.fixture
def run_script(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def run(code: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, tmp_path / "it.log", command(code)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        until(lambda: "up\n" in read(tmp_path / "it.log"))
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_a_signal_ends_everything_at_once(
    run_script: Callable[[str], subprocess.Popen[str]],
) -> None:
    process = run_script(SLEEPER)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=PATIENCE_SECONDS)[0] == "stopping\n"
    assert process.returncode == 0


def test_a_second_signal_hurries(
    run_script: Callable[[str], subprocess.Popen[str]], tmp_path: Path
) -> None:
    process = run_script(STUBBORN)
    process.send_signal(signal.SIGINT)
    until(lambda: "no\n" in read(tmp_path / "it.log"))
    process.send_signal(signal.SIGINT)
    assert (
        process.communicate(timeout=PATIENCE_SECONDS)[0] == "stopping\nNo longer waiting for: it.\n"
    )


def test_the_end_of_a_child_is_noticed_at_once(
    run_script: Callable[[str], subprocess.Popen[str]], tmp_path: Path
) -> None:
    run_script("import os; print(os.getpid()); print('up', flush=True); os.kill(os.getpid(), 9)")
    began = pace.seconds()
    until(lambda: read(tmp_path / "it.log").count("up\n") >= 2)
    assert pace.seconds() - began < 50
