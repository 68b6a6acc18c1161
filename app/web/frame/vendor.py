"""htmx, from the wheel that `make install` put beside this program; pages are whole without it.

Nothing of the wheel is imported: it lies in a folder that Python does not search.
"""

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from flask import Blueprint, Response, request

from app.core import log
from app.core.errors import NotFound
from app.core.http import public
from app.web.interface.renditions import Rendition

INSTALLED_BELOW: Final = Path(sys.prefix) / "share" / "citegrid" / "assets"
FOR_A_YEAR: Final = "public, max-age=31536000, immutable"

bp = Blueprint("vendor", __name__)
logger = log.get(__name__)


class _File(NamedTuple):
    path: str
    sha256: str


FILES: Final = {
    "htmx.js": _File(
        "django_htmx/static/django_htmx/htmx-2.min.js",
        "71ea67185bfa8c98c39d31717c6fce5d852370fcdfd129db4543774d3145c0de",
    ),
    "sse.js": _File(
        "django_htmx/static/django_htmx/ext/hx-sse-2.min.js",
        "98a46496de0c3605fbffdce9167ba427bdd9553184f83f149c261891a92c0136",
    ),
}
"""htmx 2.0.10 and its extension for server-sent events, in the order in which they are loaded."""


def addresses() -> list[str]:
    """Of all scripts, with their content in them; none if any is missing."""
    if not all(script(name) for name in FILES):
        return []
    return [f"/static/vendor/{name}?{file.sha256[:12]}" for name, file in FILES.items()]


@cache
def script(name: str) -> bytes | None:
    """The file, if it is there and is the one that was reviewed."""
    return read(FILES[name], INSTALLED_BELOW)


def read(file: _File, below: Path) -> bytes | None:
    try:
        content = (below / file.path).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest() != file.sha256:
        logger.warning("a script of pages is not the one expected", path=file.path)
        return None
    return content


@bp.get("/static/vendor/<name>")
@public
def send(name: str) -> Response:
    """A script, kept for a year by who asks for this content of it."""
    made = _rendition(name) if name in FILES else None
    if made is None:
        raise NotFound
    current = request.query_string == FILES[name].sha256[:12].encode()
    return made.answer(FOR_A_YEAR if current else "no-cache")


@cache
def _rendition(name: str) -> Rendition | None:
    content = script(name)
    return Rendition.of(content, "text/javascript") if content is not None else None
