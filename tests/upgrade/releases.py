"""The code of a release in a folder, and its processes."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.core.config.settings import environment
from app.local.embedded.supervisor import Program
from tests import servers
from tests.mixed.installation import answers_at
from tests.ports import free_port

ROOT: Final = Path(__file__).parents[2]
RECORDED: Final = Path(__file__).parent / "previous_releases"
QUEUES: Final = "searches,payments,ledger,corpora,housekeeping,extraction,campaigns,webhooks"
COMMANDS: Final = {
    "api": '-m gunicorn -c deploy/gunicorn.conf.py --workers 1 "app.wsgi:serve()"',
    "worker": f"-m celery -A workers.main worker -n {{name}}@%h -Q {QUEUES} -c 2 -l WARNING"
    " --without-gossip --without-mingle --without-heartbeat",
    "dispatcher": "-m workers.queue.dispatcher",
}


def recorded() -> list[str]:
    """The commits of releases before this one, oldest first."""
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def unpack(commit: str, folder: Path) -> str:
    """Put the server of that commit into `folder`; why that cannot be, or an empty string."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return "there is no git history here"
    known = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    if subprocess.run(known, capture_output=True).returncode:
        return f"{commit[:10]} is not in the history: a shallow clone? git fetch --unshallow"
    archive = ["git", "-C", str(ROOT), "archive", commit, "app", "workers", "deploy"]
    packed = subprocess.run(archive, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
    return ""


@dataclass
class Release:
    """One release's API, worker and dispatcher. Only what is started here is ever signalled."""

    name: str
    folder: Path
    home: Path
    variables: Mapping[str, str]
    port: int = field(default_factory=free_port)
    programs: dict[str, Program] = field(default_factory=dict)
    worker_pids: set[int] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *names: str) -> None:
        for name in names:
            self.programs[name] = Program(
                name,
                f"{sys.executable} {COMMANDS[name].format(name=self.name)}",
                log=self.home / f"{self.name}-{name}.log",
                folder=self.folder,
                environment=self._environment(),
            )
            self.programs[name].start()
        if "worker" in names:
            self.worker_pids.add(self.programs["worker"].pid)
        if "api" in names:
            servers.until(lambda: answers_at(self.url))

    def command(self, *arguments: str) -> None:
        """One of `citegrid-server`. CalledProcessError with what it said."""
        subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            cwd=self.folder,
            env=self._environment(),
            check=True,
            capture_output=True,
        )

    def stop(self, *names: str) -> None:
        """As a process manager does: SIGTERM to the parent, and wait until it has ended."""
        for name in names:
            self.programs[name].ask_to_end()
        for name in names:
            servers.until(self._buried(name))

    def _buried(self, name: str) -> Callable[[], bool]:
        return lambda: self.programs[name].bury() is not None

    def kill(self) -> None:
        for program in self.programs.values():
            program.kill()

    def log(self, name: str) -> str:
        return (self.home / f"{self.name}-{name}.log").read_text(encoding="utf-8")

    def _environment(self) -> dict[str, str]:
        return {
            **environment(),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment()['PATH']}",
            "PYTHONPATH": str(self.folder),  # before the code that is installed
            "SECRET_KEY": "x" * 32,
            "SERVICE_BASE_URL": self.url,
            "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{self.port}",
            "WORKER_GRACE_SECONDS": "3",
            "C_FORCE_ROOT": "1",
            "PYTHONWARNINGS": "ignore",
            **self.variables,
        }
