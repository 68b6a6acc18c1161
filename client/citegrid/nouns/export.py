"""All records of something, streamed into a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final, Literal

from citegrid.calls import Call, Route
from citegrid.service import Service
from citegrid.transport.exchange import ReadPiece, Steps

Form = Literal["csv", "ndjson"]
_MEDIA_TYPES: Final = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "zip": "application/zip",
}


def form_of(target: str | PathLike[str], form: Form | None) -> Form:
    """Returns the form that was asked for, or else that of the name's end: `.csv`, else NDJSON."""
    return form or ("csv" if Path(target).suffix.lower() == ".csv" else "ndjson")


def written(
    service: Service,
    route: Route,
    call: Call[None],
    target: str | PathLike[str],
    form: Form | Literal["zip"],
) -> Steps[Path]:
    """Read everything into a file, which is there when it is whole."""
    path = Path(target)
    with whole_file(path) as file:
        yield from service.open(route, call, _MEDIA_TYPES[form])
        while piece := (yield ReadPiece()):
            file.write(piece)
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` when all has been written. What is there and
    no file, such as a pipe or /dev/stdout, is written to itself.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
