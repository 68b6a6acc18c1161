"""A browser's own folder and launcher: no network, no privileges, an end by the clock."""

import functools
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from app.core import log

_NOBODY = 65534
_KILL_AFTER_SECONDS = 2.0
_PGRP, _PAGE_BYTES = 2, os.sysconf("SC_PAGE_SIZE")

# The walls of the process below stand by themselves; these are for a system that refuses them.
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--js-flags=--max-old-space-size=512",
    "--no-pings",
    "--proxy-bypass-list=<-loopback>",
    "--renderer-process-limit=1",
)

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Launch:
    """The launcher of one browser: an executable, and the folder that becomes its profile."""

    executable: Path
    profile: Path
    _pid_file: Path

    @property
    def memory_bytes(self) -> int:
        """The memory its processes hold, without what they share (man 5 proc, statm)."""
        return sum(_private_bytes(pid) for pid in self._processes())

    def kill(self) -> None:
        """End all its processes."""
        with suppress(OSError, ValueError):
            os.killpg(int(self._pid_file.read_text()), signal.SIGKILL)

    def _processes(self) -> Iterator[int]:
        try:
            group = int(self._pid_file.read_text())
        except (OSError, ValueError):
            return
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError, ValueError):
                if int((folder / "stat").read_text().rpartition(")")[2].split()[_PGRP]) == group:
                    yield int(folder.name)


def _private_bytes(pid: int) -> int:
    try:
        resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE_BYTES


@contextmanager
def launch(browser: str, seconds: float) -> Iterator[Launch]:
    """A launcher of `browser` that ends it after `seconds`; what it wrote is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="render-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        profile, pid_file, script = folder / "profile", folder / "pid", folder / "browser"
        profile.mkdir()
        if os.geteuid() == 0:
            os.chown(profile, _NOBODY, _NOBODY)
        command = (
            *("timeout", f"--kill-after={_KILL_AFTER_SECONDS}", str(seconds)),
            *no_network(),
            *_no_privileges(),
            *("env", "-i", f"HOME={profile}", "PATH=/usr/bin:/bin", browser),
        )
        # `timeout` leads a process group, and has the process id that the shell wrote down.
        script.write_text(
            f'#!/bin/sh\necho $$ > {shlex.quote(str(pid_file))}\nexec {shlex.join(command)} "$@"\n'
        )
        script.chmod(0o755)
        started = Launch(script, profile, pid_file)
        try:
            yield started
        finally:
            started.kill()


@functools.cache
def no_network() -> tuple[str, ...]:
    """The command that takes the network away (`man 1 unshare`); empty where that is refused."""
    as_user = () if os.geteuid() == 0 else ("--user", "--map-current-user")
    command = ("unshare", *as_user, "--net", "--")
    if shutil.which(command[0]) and _works((*command, "true")):
        return command
    logger.warning("no network namespace for the browser: only its settings keep it inside")
    return ()


def _works(command: tuple[str, ...]) -> bool:
    done = subprocess.run(command, check=False, capture_output=True, timeout=10)  # noqa: S603
    return done.returncode == 0


def _no_privileges() -> tuple[str, ...]:
    """A browser keeps its own sandbox only when it is not root."""
    if os.geteuid() != 0:
        return ()
    nobody = (f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--no-new-privs")
    return ("setpriv", *nobody, "--")
