"""Stylesheet and scripts: files of this origin, with their content in the address."""

from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, request

from app.core.errors import NotFound, required
from app.core.http import public
from app.web.frame import vendor
from app.web.interface.renditions import Rendition

STATIC: Final = Path(__file__).parents[1] / "static"
SCRIPTS: Final = ("app.js", "keys.js", "palette.js")
MEDIA_TYPES: Final = {".css": "text/css", ".js": "text/javascript"}

bp = Blueprint("assets", __name__)


def asset(name: str) -> str:
    """The address of a file in `static`, which changes with its content."""
    return f"/static/{name}?{_files()[name].tag[:12]}"


@cache
def _files() -> dict[str, Rendition]:
    """All files by their names: whoever asks for another spelling of one adds nothing."""
    return {
        file.relative_to(STATIC).as_posix(): Rendition.of(
            file.read_bytes(), MEDIA_TYPES[file.suffix]
        )
        for file in STATIC.rglob("*")
        if file.is_file()
    }


def scripts() -> list[str]:
    return [*vendor.addresses(), *(asset(name) for name in SCRIPTS)]


@bp.get("/static/<path:filename>")
@public
def send(filename: str) -> Response:
    """A file, kept for a year by who asks for this content of it: its address says which."""
    file = required(_files().get(filename), NotFound)
    current = request.query_string == file.tag[:12].encode()
    return file.answer(vendor.FOR_A_YEAR if current else "no-cache")
