"""The files of the packaged models: where they lie, and that they are the known ones."""

import hashlib
import sys
from pathlib import Path
from typing import Final

from app.engine.semantic.onnx_session import ModelUnusable

FOLDER: Final = Path(sys.prefix) / "share" / "citegrid" / "models"


def check(file: Path, sha256: str) -> None:
    """Raises ModelUnusable for another file, OSError."""
    with file.open("rb") as content:
        if hashlib.file_digest(content, "sha256").hexdigest() != sha256:
            why = "of the packaged model is not the file whose hash is known"
            raise ModelUnusable(f"{file.name} {why}")
