"""The manual that is crawled: a page for each setting of our own reference, served from here."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, NamedTuple

REFERENCE: Final = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"
_ROW: Final = re.compile(r"^\| `([A-Z_]+)` \| (.+?) \| (.+) \|$", re.MULTILINE)
_MARKS: Final = re.compile(r"[`*]")
_LEAST_MEANING: Final = 30
FIELDS: Final = ("setting", "default", "meaning")
SCHEMA: Final = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in FIELDS},
    "required": ["setting"],
}


class Entry(NamedTuple):
    setting: str
    default: str
    meaning: str


def entries(most: int) -> list[Entry]:
    """The settings with a default of their own, as the reference names them."""
    rows = (
        Entry(*(_MARKS.sub("", cell) for cell in row))
        for row in _ROW.findall(REFERENCE.read_text(encoding="utf-8"))
    )
    return [
        entry
        for entry in rows
        if entry.default not in ("(empty)", "required") and len(entry.meaning) >= _LEAST_MEANING
    ][:most]


@contextmanager
def served(manual: list[Entry]) -> Iterator[str]:
    """The address of the manual's first page, while the block runs."""
    pages = {f"/manual/{entry.setting.lower()}": _page(entry) for entry in manual}
    links = "".join(f'<li><a href="{path}">{escape(path)}</a></li>' for path in pages)
    pages["/manual/"] = f"<html><title>Manual</title><body><ul>{links}</ul></body></html>"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            body = (page or "").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/manual/"
    finally:
        server.shutdown()


def _page(entry: Entry) -> str:
    """The entry twice: for people, and as data for machines."""
    lines = "".join(
        f"<li>{name.capitalize()}: {escape(value)}</li>"
        for name, value in zip(FIELDS, entry, strict=True)
    )
    stated = {"@context": "https://schema.org", "@type": "PropertyValue", **entry._asdict()}
    return (
        f'<html lang="en"><head><title>{entry.setting}</title>'
        f'<script type="application/ld+json">{json.dumps(stated)}</script></head><body>'
        f"<h1>{entry.setting}</h1><p>One of the environment variables of the server, which each "
        f"of its processes reads when it starts.</p><ul>{lines}</ul>"
        "<p>The first page of this manual links to all of them.</p></body></html>"
    )
