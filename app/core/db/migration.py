"""A migration file: its statements, and what its head says of how they are applied.

    -- outside a transaction            one statement that takes no transaction around it, such as
                                        `create index concurrently if not exists ...`
    -- in batches                       one statement that changes some of the rows left to change;
                                        it is repeated until it finds none
    -- unused since 0.2.0: jobs.colour  releases before that fail once this is applied

Without one of the first two, a file is one transaction.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

OUTSIDE: Final = re.compile(r"^-- outside a transaction$", re.M)
BATCHES: Final = re.compile(r"^-- in batches$", re.M)
UNUSED_SINCE: Final = re.compile(r"^-- unused since (\d+\.\d+\.\d+): \S", re.M)
_CONCURRENT_INDEX = re.compile(
    r"^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)", re.M | re.I
)


@dataclass(frozen=True)
class Migration:
    name: str
    sql: bytes

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql).hexdigest()

    @cached_property
    def text(self) -> str:
        return self.sql.decode()

    @property
    def outside_transaction(self) -> bool:
        return OUTSIDE.search(self.text) is not None

    @property
    def in_batches(self) -> bool:
        return BATCHES.search(self.text) is not None

    @property
    def concurrent_index(self) -> str | None:
        """The index that the file makes beside running work."""
        match = _CONCURRENT_INDEX.search(self.text)
        return match[1] if match else None

    @property
    def needs(self) -> str | None:
        """The first release that can work once this is applied; None: the one before can, too."""
        releases = UNUSED_SINCE.findall(self.text)
        return max(releases, key=as_numbers, default=None)


def read_all(folder: Path) -> list[Migration]:
    """In the order in which they are applied."""
    return [Migration(file.stem, file.read_bytes()) for file in sorted(folder.glob("*.sql"))]


def as_numbers(release: str) -> tuple[int, ...]:
    """`0.10.0` is newer than `0.9.1`."""
    return tuple(int(number) for number in re.findall(r"\d+", release)[:3])
