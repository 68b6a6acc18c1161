"""An ONNX model run by onnxruntime, which is imported here alone, with the first model.

One text at a time, on one thread, without an arena: with batches or an arena a process takes two to
five times the memory for the same pace (padding costs what batching gains).
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.core.config import settings
from app.engine import memory
from app.engine.semantic.embedder import Vectors
from app.engine.semantic.tokenizer import Pieces

_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_SILENT: Final = 4  # what goes wrong is raised as well


class ModelUnusable(Exception):
    """There is no model that can be run; says why in words that may be logged."""


class OnnxSession:
    """One model; threads may share it, and so may forks: it has no thread of its own.

    Takes as much memory as its weights as floats.
    """

    def __init__(self, path: Path) -> None:
        """Raises ModelUnusable."""
        runtime = _runtime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = _SILENT
        try:
            self._session = runtime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - its errors have no class in common
            raise ModelUnusable(f"{path.name} cannot be loaded: {_reason(error)}") from None
        memory.give_back()
        self._inputs = [given.name for given in self._session.get_inputs()]
        if others := set(self._inputs) - set(_INPUTS):
            raise ModelUnusable(f"it wants an input that is not known: {min(others)[:40]}")
        self.outputs: Sequence[str] = [given.name for given in self._session.get_outputs()]

    def run(self, pieces: Pieces, output: str) -> Vectors:
        """One of its outputs for one text or pair. Raises ModelUnusable.

        Also for pieces that it has no room for: then folder and tokenizer do not fit together.
        """
        ids = np.array([pieces.ids], np.int64)
        values = (ids, np.ones_like(ids), np.array([pieces.types], np.int64))
        known = dict(zip(_INPUTS, values, strict=True))
        feed = {name: known[name] for name in self._inputs}
        try:
            [result] = self._session.run([output], feed)
        except Exception as error:  # noqa: BLE001 - as above
            raise ModelUnusable(f"it cannot be run: {_reason(error)}") from None
        return np.asarray(result, np.float32)


def _runtime() -> Any:
    if find_spec("onnxruntime") is None:
        raise ModelUnusable("onnxruntime is not installed; there is none for Intel Macs")
    # Else a thread of it reports our models to its makers and keeps a file in the user's cache.
    settings.provide({"ORT_DISABLE_TELEMETRY": "1"})
    return import_module("onnxruntime")


def _reason(error: Exception) -> str:
    """The first line of an error of the runtime, bounded."""
    return str(error).partition("\n")[0][:200]
