"""The packaged models that are installed."""

from collections.abc import Callable
from functools import partial

from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.packaged import e5, minilm


def installed() -> list[Callable[[], OnnxEmbedder]]:
    """Functions that load them; one may be missing. They raise ModelUnusable, OSError."""
    found: list[Callable[[], OnnxEmbedder]] = []
    if package := minilm.installed():
        found.append(partial(minilm.minilm, package))
    if folder := e5.installed():
        found.append(partial(e5.e5, folder))
    return found
