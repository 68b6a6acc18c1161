"""Documents in a folder of this machine."""

import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

from app.core import ids
from app.domains.library.corpora.options import Options
from app.domains.library.corpora.visits import READ, UNCHANGED, KnownPage, Visit, without_content
from app.domains.library.passages.prepared import prepare
from app.engine.pages.formats.media_types import CSV, DOCX, EPUB, PDF, TSV
from app.engine.pages.formats.sizes import MOST_FILE_BYTES
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.site.scope import admits, storable
from app.engine.sandbox.documents import Document
from app.engine.sandbox.reader import UNHURRIED, DocumentReader

MEDIA_TYPES: Mapping[str, str] = {
    ".csv": CSV,
    ".docx": DOCX,
    ".epub": EPUB,
    ".htm": "text/html",
    ".html": "text/html",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".mdown": "text/markdown",
    ".pdf": PDF,
    ".rst": "text/plain",
    ".text": "text/plain",
    ".tsv": TSV,
    ".txt": "text/plain",
    ".xhtml": "application/xhtml+xml",
}
# Controls, what turns the direction of the text around it, and bytes that are no UTF-8. Spaces and
# joiners of other scripts are letters of names there.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class FolderVisitor:
    """Visits the files of one corpus. A file is known by its address below `base_url`."""

    def __init__(
        self,
        corpus_id: UUID,
        name: str,
        location: str,
        options: Options,
        known: Mapping[str, KnownPage],
        reader: DocumentReader,
    ) -> None:
        self._corpus_id, self._known, self._reader = corpus_id, known, reader
        self._root = Path(location).resolve()
        self._options = options
        self._base = (options.base_url or f"corpus://{name}/").rstrip("/") + "/"
        self._paths: dict[str, Path] = {}

    def addresses(self) -> list[str]:
        """Addresses of the documents, in order of their paths, at most `max_pages`.

        Hidden files and folders are skipped, and so is what a link leads to outside the folder.
        """
        for relative in self._documents():
            if len(self._paths) >= self._options.max_pages:
                break
            if storable(url := self._base + quote(relative)):
                self._paths[url] = self._root / relative
        return list(self._paths)

    def _documents(self) -> Iterator[str]:
        for folder, names, files in os.walk(self._root, followlinks=False):
            names[:] = sorted(name for name in names if not name.startswith("."))
            for name in sorted(files):
                path = Path(folder, name)
                relative = path.relative_to(self._root).as_posix()
                if (
                    not name.startswith(".")
                    and path.suffix.lower() in MEDIA_TYPES
                    and not _UNFIT.search(relative)
                    and admits(relative, self._options.include, self._options.exclude)
                    and self._inside(path)
                ):
                    yield relative

    def _inside(self, path: Path) -> bool:
        real = path.resolve()
        return real.is_relative_to(self._root) and real.is_file()

    def visit(self, url: str) -> Visit:
        """Read one file; every failure is an outcome."""
        path, known = self._paths[url], self._known.get(url)
        try:
            # Opened as it was checked: not through a link put there since.
            with open(
                os.open(path.resolve(), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb"
            ) as file:
                facts = os.fstat(file.fileno())
                mark = f"{facts.st_size}-{facts.st_mtime_ns}"
                if known and known.indexed and known.etag == mark:
                    return without_content(known, url, UNCHANGED, ())
                if facts.st_size > MOST_FILE_BYTES:
                    return without_content(known, url, Unreadable.TOO_LARGE.value, ())
                body = file.read(MOST_FILE_BYTES + 1)
            document = Document(body, MEDIA_TYPES[path.suffix.lower()], None, url)
            reading = self._reader.read(document, UNHURRIED)
        except OSError:
            return without_content(known, url, "file_unreadable", ())
        except PageUnreadable as unreadable:
            return without_content(known, url, unreadable.reason.value, ())
        source_id = known.id if known else ids.new()
        now = datetime.now(UTC)
        return Visit(
            id=source_id,
            url=url,
            outcome=READ,
            prepared=prepare(self._corpus_id, source_id, url, reading, now),
            links=(),
            etag=mark,
            fetched_at=now,
            size=len(body),
        )
