"""The rights that a process gives up before it touches untrusted documents.

Whatever the system refuses is left as it is, and named: who starts the process decides whether it
may read all the same. The limits of resources hold everywhere but on macOS, which knows no limit of
address space.
"""

import ctypes
import os
import platform
import resource
import sys
from pathlib import Path
from typing import Final

_NOBODY = 65534
_LIFETIME_CPU_SECONDS = 3_600
_SET_NO_NEW_PRIVS, _SECCOMP_FILTER, _ALL_THREADS = 38, 1, 1

# Calls a Python process that only computes needs: memory, its own signals and timers, time, random
# bytes, and reading from and writing to what is open already. Everything else (files, sockets,
# processes, other processes' memory) fails with EPERM. Numbers of x86-64 and of arm64.
_CALLS = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62),
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214),
    "mremap": (25, 216), "madvise": (28, 233), "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "setitimer": (38, 103), "restart_syscall": (219, 128), "futex": (202, 98),
    "sched_yield": (24, 124), "membarrier": (324, 283), "rseq": (334, 293), "getpid": (39, 172),
    "gettid": (186, 178), "gettimeofday": (96, 169), "clock_gettime": (228, 113),
    "getrusage": (98, 165), "getrandom": (318, 278), "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
# By machine: which of the two numbers, how the kernel calls it, the number of `seccomp`.
_MACHINES = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}
_LOAD, _EQUALS, _RETURN = 0x20, 0x15, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001


WALLS: Final = ("root", "memory", "cpu", "files", "core", "processes", "opening", "calls")
"""By the names that `confine` gives them."""


def confine(memory_bytes: int) -> list[str]:
    """Give up all that computing does not need, for good. `memory_bytes` may be taken besides what
    is held now. Nothing can be imported afterwards. Returns the walls that the system refused."""
    sys.meta_path.clear()
    walls = {"root": _leave_root(), **_limit(memory_bytes), "calls": _refuse_calls()}
    return [name for name, stands in walls.items() if not stands]


def _leave_root() -> bool:
    try:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
    except OSError:
        return False
    return True


def _limit(memory_bytes: int) -> dict[str, bool]:
    return {
        name: _limited(kind, limit)
        for name, kind, limit in (
            ("memory", resource.RLIMIT_AS, _held_bytes() + memory_bytes),
            ("cpu", resource.RLIMIT_CPU, _LIFETIME_CPU_SECONDS),
            ("files", resource.RLIMIT_FSIZE, 0),
            ("core", resource.RLIMIT_CORE, 0),
            ("processes", resource.RLIMIT_NPROC, 0),
            ("opening", resource.RLIMIT_NOFILE, 0),
        )
    }


def _limited(kind: int, limit: int) -> bool:
    try:
        resource.setrlimit(kind, (limit, limit))
    except (OSError, ValueError):
        return False
    return True


def _held_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 512 * 1024 * 1024


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("first", ctypes.POINTER(_Instruction)))


def _refuse_calls() -> bool:
    """A seccomp filter (Linux 3.17 or newer, `man 2 seccomp`)."""
    machine = _MACHINES.get(platform.machine()) if sys.platform == "linux" else None
    if machine is None:
        return False
    column, name, seccomp = machine
    instructions = _filter(name, sorted(numbers[column] for numbers in _CALLS.values()))
    array = (_Instruction * len(instructions))(*instructions)
    libc = ctypes.CDLL(None)
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    program = ctypes.byref(_Program(len(array), array))
    refused: int = libc.syscall(seccomp, _SECCOMP_FILTER, _ALL_THREADS, program)
    return refused == 0


def _filter(machine: int, allowed: list[int]) -> list[_Instruction]:
    """Allow the calls with these numbers, made as a program of this machine makes them."""
    last = len(allowed)
    return [
        _Instruction(_LOAD, 0, 0, _MACHINE_AT),
        _Instruction(_EQUALS, 0, last + 1, machine),
        _Instruction(_LOAD, 0, 0, _NUMBER_AT),
        *(_Instruction(_EQUALS, last - at, 0, number) for at, number in enumerate(allowed)),
        _Instruction(_RETURN, 0, 0, _REFUSE),
        _Instruction(_RETURN, 0, 0, _ALLOW),
    ]


if __name__ == "__main__":
    os.write(1, " ".join(confine(256 << 20)).encode())
