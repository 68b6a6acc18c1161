"""Folders with tiny models of one's own: an ONNX file, a vocabulary, and what else one writes."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests import onnx_models

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "owl", "mouse", "train", "eggs"]
# Owls and mice are near to each other, trains are not; special pieces say nothing.
TABLE = np.array(
    [[0, 0], [0, 0], [0, 0], [0, 0], [4, 1], [1, 2], [0, -3], [3, 0]],
    np.float32,
)
# The passage that holds eggs is the best, the one with trains the worst.
WEIGHTS = np.array([0, 0, 0, 0, 1, 0.5, -2, 3], np.float32)


def written(folder: Path, model: bytes, **files: Any) -> Path:
    """A folder with a model and `vocab.txt`; `config_json={...}` writes `config.json`."""
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    for name, content in files.items():
        add(folder, name.removesuffix("_json") + ".json", content)
    return folder


def add(folder: Path, name: str, content: Any) -> None:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_text(text, encoding="utf-8")


def sentence_folder(folder: Path, **files: Any) -> Path:
    return written(folder, onnx_models.sentence_model(TABLE), **files)


def reranker_folder(folder: Path, **files: Any) -> Path:
    return written(folder, onnx_models.cross_encoder(WEIGHTS), **files)


def tokenizer_json() -> dict[str, Any]:
    """The same vocabulary as the package `tokenizers` writes it, without lower case."""
    special = {"[CLS]": 2, "[SEP]": 3}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", special["[SEP]"]],
            "cls": ["[CLS]", special["[CLS]"]],
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: id for id, word in enumerate(VOCABULARY)},
            "unk_token": "[UNK]",
        },
    }
