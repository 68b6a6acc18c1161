"""The number of connections a process can hold within its limit of open files."""

import resource
from typing import Final

WANTED_FILES: Final = 8192
FILES_PER_THREAD: Final = 4
SPARE_FILES: Final = 100


def affordable_connections(threads: int) -> int:
    """Raise the soft limit as far as sensible; what it leaves beside the files that views open."""
    soft, hard = (_finite(limit) for limit in resource.getrlimit(resource.RLIMIT_NOFILE))
    wanted = min(hard, max(soft, WANTED_FILES))
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(wanted - threads * FILES_PER_THREAD - SPARE_FILES, 2 * threads)


def _finite(limit: int) -> int:
    return limit if limit != resource.RLIM_INFINITY else 1 << 20
