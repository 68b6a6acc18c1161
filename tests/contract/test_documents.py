"""What the documents show is what happens: their blocks run, as they stand, beside a local run."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.core.config.settings import environment
from app.local.embedded.children import tail
from tests import installed, servers
from tests.documents import PAGES, ROOT, RUN, Block, blocks, every_block
from tests.forked_programs import forked
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

PASSWORD = "correct horse battery"
MISSING = [name for name in ("bash", "curl", "jq", "make") if shutil.which(name) is None]
COMMAND_SECONDS = 600.0
CHECKOUT = (
    "app", "bench", "client", "deploy", "docs", "examples", "tests", "workers", "Procfile",
)  # fmt: skip


# What the documents start beside the local run: a webhook's receiver, shops, a folder of pages.
WEBHOOK_PORTS, PAGE_PORTS = ("8907",), ("8908", "8917", "8923", "8931")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder like a clone of the repository after `make run`, and the home of its user.

    The ports that the documents name may be taken here, so others stand for them.
    """

    folder: Path
    home: Path
    ports: Mapping[str, str] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        """What the local run says."""
        return self.folder / "up.txt"

    @property
    def trace(self) -> Path:
        """The commands of the script that ran last."""
        return self.folder / "trace.txt"

    def run_script(self, script: str, **variables: str) -> str:
        """Returns what it prints. Raises AssertionError if a command fails, with all that is known
        of it."""
        self.trace.unlink(missing_ok=True)
        traced = f'exec 9> "{self.trace}"; BASH_XTRACEFD=9; set -x; {self.with_ports(script)}'
        done = self.execute("bash", "-euo", "pipefail", "-c", traced, **variables)
        assert done.returncode == 0, "\n".join([
            f"exit code {done.returncode}; the last commands:", tail(self.trace),
            "printed:", done.stdout, done.stderr,
            "the local run says:", tail(self.log, lines=40),
        ])  # fmt: skip
        return done.stdout

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.folder / 'programs'}:{installed.programs()}:{environment()['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PASSWORD": PASSWORD,
            "EMBEDDINGS_PACKAGED": "false",
            "EXTRACT_FETCH_ALLOW": self._local(PAGE_PORTS),
            "REVIEW_ALONE_SECONDS": "0",  # nobody is waited for in the tutorial about campaigns
            "WEBHOOK_ALLOW": self._local(WEBHOOK_PORTS),
        }

    def _local(self, ports: Iterable[str]) -> str:
        return ",".join(self.with_ports(f"127.0.0.1:{port}") for port in ports)

    def with_ports(self, text: str) -> str:
        """A text of the documents with the ports that are used here."""
        return re.sub(r"\b89\d\d\b", lambda match: self.ports.get(match[0], match[0]), text)

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
        ports = {port: str(free_port()) for port in (*WEBHOOK_PORTS, *PAGE_PORTS)}
        made = Checkout(folder, folder / "home", ports)
        _fill(made)
        command = [installed.programs() / "citegrid-server", "up", "--port", str(free_port())]
        python = installed.programs() / "python"
        with made.log.open("w+") as log, forked(python, folder, made.environment()):
            process = subprocess.Popen(
                command, cwd=folder, env=made.environment(), stdout=log, stderr=log
            )
            try:
                servers.until(lambda: _ready(process, made.log))
                yield made
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def variables(checkout: Checkout) -> dict[str, str]:
    """What `eval "$(citegrid-server status -o env)"` sets: asked for once, it takes a second."""
    status = checkout.execute("citegrid-server", "status", "-o", "json")
    run = json.loads(status.stdout)
    return {"SERVICE_BASE_URL": run["url"], "SERVICE_API_KEY": run["api_key"]}


def _fill(made: Checkout) -> None:
    for name in CHECKOUT:
        (made.folder / name).symlink_to(ROOT / name)
    (made.folder / ".venv").symlink_to(installed.FOLDER)
    (made.home / ".local/share/bash-completion/completions").mkdir(parents=True)
    for folder in (made.home / "Documents" / "notes", made.folder / "handbook"):
        folder.mkdir(parents=True)
        (folder / "owls.md").write_text("# Barn owls\n\nA clutch holds four to seven eggs.\n")


def _ready(process: subprocess.Popen[bytes], log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    return "Press Ctrl-C to stop" in log.read_text()


def scripts() -> Iterator[object]:
    """The shell of each page, all its blocks in one: a reader goes on where he stopped; and the
    lines that the page says it prints."""
    for page in PAGES:
        code = [b.first + b.code for b in blocks(page) if b.runs and RUN[b.language] == "sh"]
        printed = [line for b in blocks(page) if b.printed for line in b.code.splitlines()]
        if code:
            yield pytest.param("\n".join(code), printed, id=str(page.relative_to(ROOT)))


def programs() -> Iterator[object]:
    for block in every_block():
        if block.runs and RUN[block.language] == "python":
            yield pytest.param(block, id=f"{block.page}:{block.line}")


@pytest.mark.timeout(1200)  # the first installs the product and starts it
def test_every_program_of_the_local_run_starts_at_once(checkout: Checkout) -> None:
    assert "starting it again" not in checkout.log.read_text()


def test_a_script_that_fails_says_at_which_command(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with pytest.raises(AssertionError, match=r"exit code 3[^$]*\+ sh -c 'exit 3'"):
        Checkout(tmp_path, tmp_path / "home").run_script("echo fine\nsh -c 'exit 3'\necho never")


def test_what_a_block_leaves_running_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    script = "sleep 600 & echo $!; false"
    done = Checkout(tmp_path, tmp_path / "home").execute("bash", "-euo", "pipefail", "-c", script)
    assert done.returncode == 1
    servers.until(lambda: not _runs(int(done.stdout)))


def _runs(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.timeout(1200)  # the first installs the product and starts it
@pytest.mark.skipif(bool(MISSING), reason=f"the documents need {MISSING}, which is not here")
@pytest.mark.parametrize(("script", "printed"), list(scripts()))
def test_the_shell_of_a_page_runs_as_it_stands_and_prints_what_it_says(
    checkout: Checkout, variables: dict[str, str], script: str, printed: list[str]
) -> None:
    lines = checkout.run_script(script, **variables).splitlines()
    assert [line for line in printed if line not in lines] == []


@pytest.mark.timeout(1200)  # the first installs the product and starts it
@pytest.mark.parametrize("program", list(programs()))
def test_a_program_of_a_page_runs_as_it_stands(
    checkout: Checkout, variables: dict[str, str], program: Block
) -> None:
    checkout.run_script(program.first, **variables)
    done = checkout.execute("python", "-W", "error", "-c", program.code, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
