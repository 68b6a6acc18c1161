"""Weights made once, whoever wants them, and used only if they are the known ones."""

import hashlib
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from app.engine.semantic import weights
from app.engine.semantic.embedder import Vectors

TENSORS = {
    "b": np.arange(3, dtype=np.float32),
    "a": np.arange(4, dtype=np.float32).reshape(2, 2).T,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "models" / "small.safetensors"


@pytest.fixture(scope="module")
def sha256(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("known") / "x.safetensors"
    with pytest.raises(weights.WrongWeights):
        weights.load_or_make(path, "not known yet", lambda: TENSORS)
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Making:
    """Counts how often tensors are made."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Mapping[str, Vectors]:
        self.times += 1
        return TENSORS


def test_what_is_kept_is_what_was_made(file: Path, sha256: str) -> None:
    loaded = weights.load_or_make(file, sha256, lambda: TENSORS)
    assert {name: tensor.tolist() for name, tensor in loaded.items()} == {
        name: tensor.tolist() for name, tensor in TENSORS.items()
    }


def test_numbers_are_mapped_not_copied(file: Path, sha256: str) -> None:
    tensor = weights.load_or_make(file, sha256, lambda: TENSORS)["a"]
    assert not tensor.flags.writeable


def test_a_second_process_makes_nothing(file: Path, sha256: str) -> None:
    making = Making()
    weights.load_or_make(file, sha256, making)
    weights.load_or_make(file, sha256, making)
    assert making.times == 1


def test_many_at_once_make_it_once(file: Path, sha256: str) -> None:
    making, together = Making(), threading.Barrier(8)

    def start() -> None:
        together.wait()
        weights.load_or_make(file, sha256, making)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert making.times == 1


@pytest.mark.parametrize("content", [b"", b"\x00" * 64, b"\x02\x00\x00\x00\x00\x00\x00\x00{}"])
def test_a_damaged_file_is_made_anew(file: Path, sha256: str, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    assert weights.load_or_make(file, sha256, lambda: TENSORS)["b"].tolist() == [0, 1, 2]


def test_other_numbers_than_the_known_are_refused(file: Path, sha256: str) -> None:
    with pytest.raises(weights.WrongWeights):
        weights.load_or_make(file, sha256, lambda: {"b": np.ones(3, np.float32)})


def test_nothing_half_written_is_left_behind(file: Path, sha256: str) -> None:
    broken = {**TENSORS, "c": np.array(["no number"], object)}
    with pytest.raises(ValueError, match="could not convert"):
        weights.load_or_make(file, sha256, lambda: broken)
    assert [path.suffix for path in file.parent.iterdir()] == [".lock"]
