"""The documents of a folder of this machine: what there is to upload, and under which keys."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Final, NamedTuple

from citegrid.errors import InvalidArgument

MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".epub": "application/epub+zip",
    ".htm": "text/html",
    ".html": "text/html",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".mdown": "text/markdown",
    ".pdf": "application/pdf",
    ".rst": "text/plain",
    ".text": "text/plain",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".xhtml": "application/xhtml+xml",
}
"""By the end of a name."""
_COPIES: Final = frozenset(("_sources", "_static"))
"""Of a manual's pages; the server leaves them out of its own folders, too."""
MOST_BYTES: Final = 20 * 1024 * 1024
# Controls, what turns the direction of the text around it, and bytes that are no UTF-8. Spaces and
# joiners of other scripts are letters of names there.
_UNFIT: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class FolderFile(NamedTuple):
    """A file of a folder; `key` is its path in the folder, with `/` on every machine."""

    path: Path
    key: str

    def content(self) -> bytes | None:
        """None if it is larger than any document may be."""
        with self.path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        return content if len(content) <= MOST_BYTES else None

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.path.suffix.lower()]


def files_of(folder: str | PathLike[str]) -> list[FolderFile]:
    """The documents in a folder and below, in the order of their keys. What is hidden is left out,
    and so are the markup that a manual was made from, what a link leads to outside, and a name with
    control characters. Raises InvalidArgument if there is no such folder, OSError for one below
    that cannot be read.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        raise InvalidArgument(f"{folder} is no folder.")
    return sorted(_below(root), key=lambda file: file.key)


def _below(root: Path) -> Iterator[FolderFile]:
    for place, folders, names in os.walk(root, onerror=_refuse):
        folders[:] = [name for name in folders if name[0] != "." and name not in _COPIES]
        for name in names:
            path = Path(place, name)
            key = path.relative_to(root).as_posix()
            if _is_document(name) and not _UNFIT.search(key) and _is_inside(path, root):
                yield FolderFile(path, key)


def _refuse(error: OSError) -> None:
    """A folder that cannot be read is not an empty one: its documents would be pruned."""
    raise error


def _is_document(name: str) -> bool:
    return not name.startswith(".") and Path(name).suffix.lower() in MEDIA_TYPES


def _is_inside(path: Path, root: Path) -> bool:
    real = path.resolve()
    return real.is_relative_to(root) and real.is_file()


def digest(content: bytes) -> str:
    """The hash of a document, as the server gives it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
