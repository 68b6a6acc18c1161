"""The state of a local run in its data folder: its lock, its secrets, its addresses."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from app.core.config.settings import BadConfiguration, Settings, environment, provide

DEFAULT_FOLDER = Path(".citegrid")


class CannotStart(RuntimeError):
    """The service cannot start; the message says why."""


class AlreadyRunning(RuntimeError):
    """Another local run uses this data folder."""

    def __init__(self, run: "LocalRun | None") -> None:
        super().__init__("already running")
        self.run = run


@dataclass(frozen=True, slots=True, repr=False)
class LocalRun:
    """A local run as other shells see it. `environment` is what it gave its processes."""

    pid: int
    url: str
    demo_key: str
    environment: dict[str, str]


class DataFolder:
    """Everything of one local run lies below `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Create and lock the folder until the block or the process ends. Raises AlreadyRunning."""
        self.path.mkdir(parents=True, exist_ok=True)
        # The database may run as another account: it passes through, and reads nothing here.
        self.path.chmod(0o711)
        with self._lock_file.open("a") as lock:
            if not _locked(lock.fileno()):
                raise AlreadyRunning(self._read_run())
            # A fork would go on holding it after we have ended.
            os.register_at_fork(after_in_child=lock.close)
            self._run_file.unlink(missing_ok=True)  # a killed run's: ours is still starting
            try:
                yield
            finally:
                self._run_file.unlink(missing_ok=True)

    def secrets(self) -> dict[str, str]:
        """SECRET_KEY and DEMO_API_KEY, made at the first call and kept: keys outlive restarts."""
        file = self.path / "secrets.json"
        if not file.exists():
            values = {
                "SECRET_KEY": secrets.token_urlsafe(48),
                "DEMO_API_KEY": f"cgk_demo{secrets.token_hex(20)}",
            }
            _write_private(file, values)
        return {str(name): str(value) for name, value in json.loads(file.read_text()).items()}

    def announce(self, run: LocalRun) -> None:
        _write_private(self._run_file, asdict(run))

    def run(self) -> LocalRun | None:
        """The run that holds this folder now; None when there is none or it is still starting."""
        try:
            with self._lock_file.open("a") as lock:
                if _locked(lock.fileno()):
                    return None
        except FileNotFoundError:
            return None
        return self._read_run()

    @property
    def _lock_file(self) -> Path:
        return self.path / "lock"

    @property
    def _run_file(self) -> Path:
        return self.path / "run.json"

    def _read_run(self) -> LocalRun | None:
        try:
            return LocalRun(**json.loads(self._run_file.read_text()))
        except FileNotFoundError:
            return None


def settings(folder: DataFolder) -> Settings:
    """The environment's settings, completed by those of a local run. Raises BadConfiguration."""
    if run := folder.run():
        provide(run.environment)
    try:
        return Settings.from_env()
    except BadConfiguration as error:
        if run or environment().get("DATABASE_URL"):
            raise
        nothing = f"Nothing is running on {folder.path}, and the environment names no servers."
        raise BadConfiguration(f"{nothing} Name its folder with --data. {error}") from None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_private(file: Path, values: dict[str, object] | dict[str, str]) -> None:
    """Whole or not at all, and for our eyes only."""
    fresh = file.with_name(file.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w") as output:
        json.dump(values, output, indent=1)
    fresh.replace(file)
