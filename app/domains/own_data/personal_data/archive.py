"""The file of an export: a ZIP of one NDJSON per listing, written in pieces as it is read."""

import base64
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import orjson

from app.core import ids, untrusted_json
from app.core.amounts import text
from app.core.http.fields import rfc3339
from app.core.ids import Noun

PIECE_BYTES: Final = 512 * 1024

ABOUT: Final = """\
Everything that this account has on the server, as of the moment it was read.

Each .ndjson file holds one list: a JSON object on each line, in the order of its making. Times are
RFC 3339 in UTC, amounts of money are decimal strings, binary content is base64. Ids are those of
the API where the API shows them. Passwords and the secrets of keys, tokens and webhooks are in no
file: the server has no copy that could be read, or signs with them and shows them to nobody.

manifest.json names the account, the moment and the number of lines of each file.
"""


class _Pieces(io.RawIOBase):
    """A stream that hands on what is written to it in pieces of one size."""

    def __init__(self, keep: Callable[[bytes], object]) -> None:
        self._keep, self._waiting, self.bytes = keep, bytearray(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._waiting += data
        self.bytes += len(data)
        while len(self._waiting) >= PIECE_BYTES:
            self._hand_on(PIECE_BYTES)
        return len(data)

    def finish(self) -> None:
        if self._waiting:
            self._hand_on(len(self._waiting))

    def _hand_on(self, size: int) -> None:
        piece = bytes(self._waiting[:size])
        del self._waiting[:size]
        self._keep(piece)


class Archive:
    """Give it lists one after the other, then `finish`. `keep` gets the pieces in their order."""

    def __init__(self, keep: Callable[[bytes], object]) -> None:
        self._pieces = _Pieces(keep)
        self._zip = zipfile.ZipFile(self._pieces, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.lines: dict[str, int] = {}

    def add(self, name: str, lines: Iterable[Mapping[str, Any]]) -> None:
        """A file with a line for each; none when there are none."""
        some = iter(lines)
        first = next(some, None)
        if first is None:
            return
        with self._zip.open(f"{name}.ndjson", "w", force_zip64=True) as file:
            self.lines[name] = 0
            for line in _chain(first, some):
                file.write(untrusted_json.dumps(line) + b"\n")
                self.lines[name] += 1

    def finish(self, account: Mapping[str, Any]) -> int:
        """Close it; how many bytes it has."""
        manifest = {**account, "files": self.lines}
        self._zip.writestr("manifest.json", orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
        self._zip.writestr("README.txt", ABOUT)
        self._zip.close()
        self._pieces.finish()
        return self._pieces.bytes


def _chain(
    first: Mapping[str, Any], others: Iterator[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    yield first
    yield from others


def line(row: Mapping[str, Any], nouns: Mapping[str, Noun]) -> dict[str, Any]:
    """A row in JSON's types, with public ids in the columns that name a noun."""
    return {name: _plain(value, nouns.get(name)) for name, value in row.items()}


def _plain(value: Any, noun: Noun | None) -> Any:
    match value:
        case UUID():
            return ids.public(noun, value) if noun else str(value)
        case datetime():
            return rfc3339(value)
        case date():
            return value.isoformat()
        case Decimal():
            return text(value)
        case bytes() | memoryview():
            return base64.b64encode(value).decode()
        case list() | tuple():
            return [_plain(each, noun) for each in value]
        case dict():
            return {name: _plain(each, None) for name, each in value.items()}
        case _:
            return value
