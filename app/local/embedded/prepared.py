"""Programs that are loaded once and forked, and then wait for what they are to work with.

All programs of a Procfile import nearly the same, which takes each of them seconds of CPU. They are
forked before this process has opened or counted anything, so nothing of it is shared but what was
loaded. One that ends is started again by itself, as any program.
"""

import ctypes
import gc
import multiprocessing
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, suppress
from importlib import import_module
from importlib.metadata import entry_points
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

from app.core.config import settings
from app.engine.sandbox.child_process import start_template
from app.engine.sandbox.reader import DocumentReader
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.packaged import models as packaged_models
from app.local.embedded.children import dying_with_parent

# By name: this package may not know the workers.
MODULES = (
    "app.wsgi",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "gunicorn.app.wsgiapp",
    "kombu.transport.redis",
    "workers.queue.dispatcher",
)

# A tenth of all that Celery's command line loads is for a shell that nobody opens here.
_NO_SHELL = ModuleType("click_repl")
_NO_SHELL.register_repl = lambda *_, **__: None  # type: ignore[attr-defined]
_ANOTHER_MODEL = {"EMBEDDINGS_URL", "EMBEDDINGS_DIR", "EMBEDDINGS_PACKAGED"}


class PreparedProgram:
    """A process that becomes the program of a command when it is released."""

    def __init__(self, command: str) -> None:
        fork = multiprocessing.get_context("fork")
        orders, self._orders = fork.Pipe(duplex=False)
        ask = dying_with_parent(signal.SIGTERM)
        self._process = fork.Process(target=_become, args=(shlex.split(command), orders, ask))
        self._process.start()
        orders.close()
        os.setpgid(self.pid, self.pid)  # here, so that the group is there when it may be killed

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def poll(self) -> int | None:
        """The exit code (negative: the signal), or None while it runs."""
        return self._process.exitcode

    def release(self, log: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Let it begin, as `spawn` would start it."""
        with suppress(BrokenPipeError):  # it was killed meanwhile, which the supervisor sees
            self._orders.send((log, dict(environment), folder))
        self._orders.close()

    def terminate(self) -> None:
        self._process.terminate()

    def wait(self) -> None:
        self._process.join()


@contextmanager
def prepared(commands: Mapping[str, str], folder: Path) -> Iterator[dict[str, PreparedProgram]]:
    """A process for each by name, until the block ends; none but on Linux, where forking is safe.

    `folder` is where they will work: gunicorn finds it out when it is loaded.
    """
    waiting: dict[str, PreparedProgram] = {}
    try:
        if sys.platform == "linux":
            with chdir(folder):
                _load()
            gc.collect()
            gc.freeze()  # the collector would write to pages that all share
            for name, command in commands.items():
                waiting[name] = PreparedProgram(command)
        yield waiting
    finally:
        for program in waiting.values():
            program.terminate()
            program.wait()


def _load() -> None:
    sys.modules["click_repl"] = _NO_SHELL
    for module in (*MODULES, *import_module("workers.queue.celery").HANDLERS):
        import_module(module)
    del sys.modules["click_repl"]
    import_module("billiard.util").get_pdeathsig()  # see workers.queue.shared
    start_template(DocumentReader.program)
    if not _ANOTHER_MODEL & settings.environment().keys():
        for load in packaged_models.installed():
            with suppress(ModelUnusable, OSError):  # who needs it says so
                load()


def _become(argv: Sequence[str], orders: "Connection[Any, Any]", ask: Any) -> None:
    ask()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        log, environment, folder = orders.recv()
    except EOFError:
        return
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    settings.replace(environment)
    os.chdir(folder)
    _show_as(" ".join(argv))
    if argv[:2] == ["python", "-m"]:
        sys.argv = list(argv[2:])
        main = import_module(argv[2]).main
    else:
        sys.argv = list(argv)
        (script,) = entry_points(group="console_scripts", name=argv[0])
        main = script.load()
    sys.exit(main())


def _show_as(command: str) -> None:
    """Have `ps` show the command, not that of the process that forked it."""
    facts = Path("/proc/self/stat").read_text().rpartition(") ")[2].split()
    start, end = int(facts[45]), int(facts[46])  # of the arguments: proc_pid_stat(5)
    ctypes.memmove(
        start, command.encode()[: end - start - 1].ljust(end - start, b"\0"), end - start
    )
