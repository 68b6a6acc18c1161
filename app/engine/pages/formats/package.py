"""Packages: the ZIP files of parts that DOCX and EPUB documents are, read within limits.

Sizes in a package are claims. What is read is bounded by what was claimed, and that by what may be
unpacked in all.
"""

import zipfile
import zlib
from io import BytesIO

from lxml import etree

from app.engine.pages.page import PageUnreadable, Unreadable

MOST_ENTRIES = 10_000
MOST_UNPACKED_BYTES = 64 * 1024 * 1024
"""Of all parts that are read: pictures and fonts are not."""
MOST_XML_ELEMENTS = 400_000
DEEPEST_XML = 100
"""Deeper XML is nobody's, and libraries follow it by recursion."""

_ENTRY = b"PK\x01\x02"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
_ENCRYPTED_FLAG = 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

# Whatever zipfile says of broken files, among it that it does not know a feature (RuntimeError).
_UNPACKING = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


class Package:
    """The parts of a package by name. All raise PageUnreadable: DAMAGED, ENCRYPTED, TOO_LARGE."""

    def __init__(self, body: bytes) -> None:
        self._left_bytes = MOST_UNPACKED_BYTES
        self._left_elements = MOST_XML_ELEMENTS
        if body.startswith(_OLE):  # how Office keeps what has a password
            encrypted = _ENCRYPTED_OFFICE in body
            raise PageUnreadable(Unreadable.ENCRYPTED if encrypted else Unreadable.DAMAGED)
        if body.count(_ENTRY) > MOST_ENTRIES:
            raise PageUnreadable(Unreadable.TOO_LARGE)
        try:
            self._archive = zipfile.ZipFile(BytesIO(body))
        except _UNPACKING as error:
            raise PageUnreadable(Unreadable.DAMAGED) from error
        self._entries = {entry.filename: entry for entry in self._archive.infolist()}

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def part(self, name: str) -> bytes | None:
        """None if there is no such part."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry.flag_bits & _ENCRYPTED_FLAG:
            raise PageUnreadable(Unreadable.ENCRYPTED)
        if entry.compress_type not in _METHODS:
            raise PageUnreadable(Unreadable.DAMAGED)
        if entry.file_size > self._left_bytes:
            raise PageUnreadable(Unreadable.TOO_LARGE)
        self._left_bytes -= entry.file_size
        try:
            return self._archive.read(entry)
        except _UNPACKING as error:
            raise PageUnreadable(Unreadable.DAMAGED) from error

    def xml(self, name: str) -> bytes | None:
        """A part of XML of bounded size and depth that declares nothing; None without one."""
        part = self.part(name)
        if part is None:
            return None
        gauge = _Gauge(self._left_elements)
        parser = etree.XMLParser(
            target=gauge, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
        )
        try:
            etree.fromstring(part, parser)
        except etree.XMLSyntaxError as error:
            raise PageUnreadable(Unreadable.DAMAGED) from error
        self._left_elements = gauge.left
        return part


class _Gauge:
    """Measures XML as it is parsed, without a tree of it."""

    def __init__(self, left: int) -> None:
        self.left = left
        self._depth = 0

    def start(self, tag: str | bytes, attrib: object) -> None:
        self.left -= 1
        self._depth += 1
        if self.left < 0 or self._depth > DEEPEST_XML:
            raise PageUnreadable(Unreadable.TOO_LARGE)

    def end(self, tag: str | bytes) -> None:
        self._depth -= 1

    def doctype(self, *_declared: str | None) -> None:
        # What declares nothing has no entities, within it or elsewhere. No such format needs them.
        raise PageUnreadable(Unreadable.DAMAGED)

    def data(self, data: str | bytes) -> None:
        """Text is bounded by the size of its part."""

    def comment(self, text: str | bytes) -> None:
        """As text is."""

    def close(self) -> None:
        """There is nothing to return."""


def tree(part: bytes) -> etree._Element:
    """The root of XML that `Package.xml` has measured."""
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True)
    return etree.fromstring(part, parser)
