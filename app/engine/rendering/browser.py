"""A browser's own folder and launcher: no network, no privileges; and what it uses."""

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
_STATE, _PGRP, _CPU = 0, 2, slice(11, 13)  # man 5 proc, stat, after the name
_PAGE_BYTES, _TICKS_PER_SECOND = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
_BLOCK_BYTES = 512  # man 7 inode
_IN_WORK = frozenset("RD")  # it computes, or would if it got a processor, or waits for a disk
# A browser is ended by whoever started it. This ends one whose worker was killed.
_ORPHAN_SECONDS = 3600

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
class Usage:
    """The memory that a browser's processes hold, without what they share, with what its pages
    have stored on the disk; their CPU time, and whether one of them is working."""

    memory_bytes: int = 0
    cpu_seconds: float = 0.0
    working: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """The launcher of one browser: an executable, and the folder that becomes its profile."""

    executable: Path
    profile: Path
    _pid_file: Path

    def usage(self) -> Usage:
        """Looks at its processes; nothing where the system tells nothing of them."""
        found = list(self._processes())
        return Usage(
            sum(_private_bytes(pid) for pid, _ in found) + _stored_bytes(self.profile),
            sum(sum(map(int, facts[_CPU])) for _, facts in found) / _TICKS_PER_SECOND,
            any(facts[_STATE] in _IN_WORK for _, facts in found),
        )

    def kill(self) -> None:
        with suppress(OSError, ValueError):
            os.killpg(int(self._pid_file.read_text()), signal.SIGKILL)

    def _processes(self) -> Iterator[tuple[int, list[str]]]:
        try:
            group = int(self._pid_file.read_text())
        except (OSError, ValueError):
            return
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError, ValueError):
                facts = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(facts[_PGRP]) == group:
                    yield int(folder.name), facts


def _private_bytes(pid: int) -> int:
    """Man 5 proc, statm."""
    try:
        resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE_BYTES


def _stored_bytes(folder: Path) -> int:
    """Databases and files of pages: a browser lets them have most of the disk."""
    stored = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                stored += os.lstat(os.path.join(place, name)).st_blocks * _BLOCK_BYTES
    return stored


@contextmanager
def launch(browser: str) -> Iterator[Launch]:
    """A launcher of `browser`, which ends with the block; what it wrote is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="render-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        profile, pid_file, script = folder / "profile", folder / "pid", folder / "browser"
        profile.mkdir()
        if os.geteuid() == 0:
            os.chown(profile, _NOBODY, _NOBODY)
        command = (
            *("timeout", f"--kill-after={_KILL_AFTER_SECONDS}", str(_ORPHAN_SECONDS)),
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
