"""Stylesheet and scripts: files of this origin, with their content in the address."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from flask import Response, request

from app.web.frame import vendor

STATIC: Final = Path(__file__).parents[1] / "static"
SCRIPTS: Final = ("app.js", "keys.js")


def asset(name: str) -> str:
    """The address of a file in `static`, which changes with its content."""
    return f"/static/{name}?{_digests()[name]}"


@cache
def _digests() -> dict[str, str]:
    """Of all files by their names: whoever asks for another spelling of one adds nothing."""
    return {
        file.relative_to(STATIC).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        for file in STATIC.rglob("*")
        if file.is_file()
    }


def scripts() -> list[str]:
    """The addresses of what pages load, in this order."""
    return [*vendor.addresses(), *(asset(name) for name in SCRIPTS)]


def keep(response: Response) -> None:
    """For a year, if this is the content that was asked for: its address says which."""
    current = _digests().get((request.view_args or {}).get("filename", ""), "")
    if response.status_code == 200 and request.query_string == current.encode() != b"":
        response.headers["Cache-Control"] = vendor.FOR_A_YEAR
