"""What the documents show is what happens: their blocks run, as they stand, beside a local run."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.config import environment
from tests import servers
from tests.documents import PAGES, ROOT, RUN, SHOWN, Block, blocks, every_block

PASSWORD = "correct horse battery"
MISSING = [name for name in ("bash", "curl", "jq") if shutil.which(name) is None]
START_SECONDS = 300.0
COMMAND_SECONDS = 300.0
CHECKOUT = ("app", "bench", "client", "deploy", "docs", "tests", "workers", "Procfile")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder like a clone of the repository after `make run`, and the home of its user."""

    folder: Path
    home: Path

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(sys.executable).parent}:{environment()['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PASSWORD": PASSWORD,
            "EMBEDDINGS_PACKAGED": "false",
            # The shops of the tutorial about tables, and of docs/how-to/run-a-workflow.md.
            "EXTRACT_FETCH_ALLOW": "127.0.0.1:8908,127.0.0.1:8917,127.0.0.1:8923",
            "WEBHOOK_ALLOW": "127.0.0.1:8907",  # the receiver of docs/how-to/receive-webhooks.md
        }

    def execute(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run`; nothing that the command started outlives it."""
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment() | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # without a terminal passwords are read from the input
        ) as process:
            # What it left behind may hold the pipes: they end only after it has.
            ender = threading.Thread(target=_end, args=(process,), daemon=True)
            ender.start()
            stdout, stderr = process.communicate(f"{PASSWORD}\n{PASSWORD}\n")
            ender.join()
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def _end(process: subprocess.Popen[str]) -> None:
    """End a session once its command has ended, or its time has."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(COMMAND_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def checkout() -> Iterator[Checkout]:
    with servers.folder() as folder:
        made = Checkout(folder, folder / "home")
        _fill(made)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [Path(sys.executable).with_name("citegrid-server"), "up", "--port", str(port)]
        with (folder / "up.log").open("w+") as log:
            process = subprocess.Popen(
                command, cwd=folder, env=made.environment(), stdout=log, stderr=log
            )
            try:
                servers.until(lambda: _ready(process, folder / "up.log"), START_SECONDS)
                yield made
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(60)


def _fill(made: Checkout) -> None:
    for name in CHECKOUT:
        (made.folder / name).symlink_to(ROOT / name)
    (made.folder / ".venv").symlink_to(sys.prefix)
    (made.home / ".local/share/bash-completion/completions").mkdir(parents=True)
    for folder in (made.home / "Documents" / "notes", made.folder / "handbook"):
        folder.mkdir(parents=True)
        (folder / "owls.md").write_text("# Barn owls\n\nA clutch holds four to seven eggs.\n")


def _ready(process: subprocess.Popen[bytes], log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    return "Ctrl-C stops everything" in log.read_text()


def scripts() -> Iterator[object]:
    """The shell of each page, all its blocks in one: a reader goes on where he stopped."""
    for page in PAGES:
        code = [b.code for b in blocks(page) if b.runs and RUN[b.language] == "sh"]
        if code:
            yield pytest.param("\n".join(code), id=str(page.relative_to(ROOT)))


def programs() -> Iterator[object]:
    for block in every_block():
        if block.runs and RUN[block.language] == "python":
            yield pytest.param(block.code, id=f"{block.page}:{block.line}")


@pytest.mark.parametrize("block", every_block(), ids=lambda b: f"{b.page}:{b.line}")
def test_a_block_that_is_not_run_says_why(block: Block) -> None:
    assert block.runs or block.reason or block.language in SHOWN


def test_what_a_block_leaves_running_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    script = "sleep 600 & echo $!; false"
    done = Checkout(tmp_path, tmp_path / "home").execute("bash", "-euo", "pipefail", "-c", script)
    assert done.returncode == 1
    servers.until(lambda: not _runs(int(done.stdout)), 30.0)


def _runs(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.timeout(600)
@pytest.mark.skipif(bool(MISSING), reason=f"the documents need {MISSING}, which is not here")
@pytest.mark.parametrize("script", list(scripts()))
def test_the_shell_of_a_page_runs_as_it_stands(checkout: Checkout, script: str) -> None:
    clean = f'eval "$(citegrid-server status -o env)"\n{script}'
    done = checkout.execute("bash", "-euo", "pipefail", "-c", clean)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", list(programs()))
def test_a_program_of_a_page_runs_as_it_stands(checkout: Checkout, program: str) -> None:
    status = checkout.execute("citegrid-server", "status", "-o", "json")
    run = json.loads(status.stdout)
    variables = {"SERVICE_BASE_URL": run["url"], "SERVICE_API_KEY": run["api_key"]}
    done = checkout.execute(sys.executable, "-W", "error", "-c", program, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
