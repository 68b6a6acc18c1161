"""Ports for programs that are started later."""

import fcntl
import os
import random
import socket
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

PORTS: Final = range(10_000, 32_000)
"""Below those that the kernel gives to connections and to whoever asks for any."""
_given: set[int] = set()


def free_port(address: str = "127.0.0.1") -> int:
    """Free until it is used: while this process runs no other test is given it."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        with suppress(OSError), socket.socket() as probe:
            fcntl.lockf(_register(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            probe.bind((address, port))
            if port not in _given:
                _given.add(port)
                return port


@cache
def _register() -> int:
    """A file of which processes of tests lock one byte for each port they were given."""
    path = Path(tempfile.gettempdir(), f"citegrid-ports-{os.getuid()}")
    return os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
