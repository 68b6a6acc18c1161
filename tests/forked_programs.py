"""`citegrid` and `citegrid-server` for shells that run them again and again, without their imports.

A start of either takes a second of CPU, nearly all of it for imports. Here one process of the same
environment imports once and forks for each start: what a shell finds by their names is a program of
a few lines, which hands over its arguments, folder, environment and files, and ends as the fork
does. This file is run by the Python of that environment, which knows no tests.
"""

import gc
import json
import os
import pkgutil
import shutil
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

PROGRAMS = {"citegrid": "citegrid.__main__", "citegrid-server": "app.__main__"}
PACKAGES = ("citegrid.cli", "app.local.commands")
"""Their modules are loaded by name, when a command asks for them."""
STARTED = """#!{python} -IS
import json, os, socket, sys
asked = {{"program": {name!r}, "arguments": sys.argv[1:], "folder": os.getcwd(),
         "environment": dict(os.environ)}}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as to:
    to.connect({address!r})
    socket.send_fds(to, [json.dumps(asked).encode()], [0, 1, 2])
    sys.exit(int(to.recv(9) or 1))
"""
MOST_BYTES = 1 << 17


@contextmanager
def forked(python: Path, folder: Path, environment: dict[str, str]) -> Iterator[Path]:
    """A folder of both programs, to be found before others."""
    address, programs = str(folder / "forks"), folder / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        program = programs / name
        program.write_text(STARTED.format(python=python, name=name, address=address))
        program.chmod(0o755)
    command = [python, __file__, address]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n"
            yield programs
        finally:
            process.kill()


def serve(address: str) -> None:
    """Fork for whoever connects, for ever."""
    for package in PACKAGES:
        path = import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            import_module(module.name)
    import_module("app.wiring")
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(address)
        listening.listen(16)
        os.write(1, b"ready\n")
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                become(connection)
            connection.close()


def become(connection: socket.socket) -> None:
    """Run what was asked for, and end as it does, or with whoever asked."""
    message, files, _, _ = socket.recv_fds(connection, MOST_BYTES, 3)
    asked: dict[str, Any] = json.loads(message)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [str(shutil.which(asked["program"])), *asked["arguments"]]
    threading.Thread(target=leave_with, args=(connection,), daemon=True).start()
    code = outcome(PROGRAMS[asked["program"]])
    connection.send(str(code).encode())
    os._exit(0)


def leave_with(asking: socket.socket) -> None:
    asking.recv(1)  # nothing comes before its end
    os._exit(1)


def outcome(module: str) -> int:
    """The exit code, as an interpreter has it."""
    code: object = 1
    try:
        import_module(module).main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 (as an interpreter does)
        traceback.print_exc()
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code or 0


if __name__ == "__main__":
    serve(sys.argv[1])
