"""A folder with an ONNX model as sentence-transformers and Optimum lay it out.

`model.onnx` (also in `onnx/`) and `tokenizer.json` or `vocab.txt` must be there; of what else may
lie there, some is read: the kind of pooling, how many pieces the model reads, its languages.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from app.core import untrusted_json
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.tokenizer import Tokenizer, uncased_bert

Pooling = Literal["mean", "cls", "lasttoken"]
"""What of the outputs for its pieces stands for a text."""
POOLINGS: Final[tuple[Pooling, ...]] = get_args(Pooling)

MOST_PIECES: Final = 512  # of a text; passages are shorter
_LEAST_PIECES: Final = 8
_STEPS: Final = {"Transformer", "Pooling", "Normalize"}  # which are done here
_LENGTHS: Final = (
    ("sentence_bert_config.json", "max_seq_length"),
    ("tokenizer_config.json", "model_max_length"),
    ("config.json", "max_position_embeddings"),
)
_CARD: Final = re.compile(r"---\n(.*?)\n---", re.DOTALL)
_LANGUAGES: Final = re.compile(r"^languages?:[ \t]*(\S.*)?\n?((?:[ \t]*-[ \t]*\S+\n?)*)", re.M)
_WORD: Final = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    folder: Path
    model: Path
    tokenizer_file: Path

    @property
    def name(self) -> str:
        """The name its makers gave it, else that of the folder."""
        name = self._facts("config.json").get("_name_or_path")
        name = name.rstrip("/").rpartition("/")[2] if isinstance(name, str) else ""
        return re.sub(r"[^\w.-]", "-", name or self.folder.resolve().name)[:64]

    def fingerprint(self, pooling: Pooling | None) -> str:
        """Another one where vectors may be others: of weights, tokenizer and pooling."""
        whole = hashlib.sha256()
        for file in [*self._weights(), self.tokenizer_file]:
            with file.open("rb") as content:
                whole.update(hashlib.file_digest(content, "sha256").digest())
        whole.update(f"{pooling}:{self.most_pieces()}".encode())
        return whole.hexdigest()[:16]

    def _weights(self) -> list[Path]:
        """The model and the files beside it that hold what is too large for it."""
        return sorted(self.model.parent.glob(f"{self.model.name}*"))

    def tokenizer(self) -> Tokenizer:
        """Raises ModelUnusable."""
        is_vocabulary = self.tokenizer_file.suffix == ".txt"
        if is_vocabulary and self._facts("tokenizer_config.json").get("do_lower_case") is False:
            raise ModelUnusable("a vocabulary with upper case needs its tokenizer.json")
        try:
            content = self.tokenizer_file.read_text(encoding="utf-8")
            content = uncased_bert(content.splitlines()) if is_vocabulary else content
            return Tokenizer(content, self.most_pieces())
        except (OSError, ValueError) as error:
            raise ModelUnusable(f"{self.tokenizer_file.name} cannot be read: {error}") from None

    def most_pieces(self) -> int:
        told = [self._facts(file).get(key) for file, key in _LENGTHS]
        return min([x for x in told if type(x) is int and x >= _LEAST_PIECES] + [MOST_PIECES])

    def pooling(self) -> Pooling:
        """The mean unless the folder says otherwise. Raises ModelUnusable for what is not done."""
        modules = self._json("modules.json")
        steps = [x for x in modules if isinstance(x, dict)] if isinstance(modules, list) else []
        kinds = {str(step.get("type")).rpartition(".")[2]: str(step.get("path")) for step in steps}
        if others := kinds.keys() - _STEPS:
            raise ModelUnusable(f"modules.json has a step that is not done: {min(others)[:40]}")
        return _pooling(self._facts(f"{kinds.get('Pooling', '1_Pooling')}/config.json"))

    def languages(self) -> frozenset[str] | None:
        """The ISO 639-1 codes that its README lists; None when it lists none, or other names."""
        try:
            card = _CARD.match((self.folder / "README.md").read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return None
        listed = _LANGUAGES.search(card[1] + "\n") if card else None
        codes = _WORD.findall(f"{listed[1] or ''} {listed[2]}".replace("- ", " ")) if listed else []
        return frozenset(codes) if codes and all(len(code) == 2 for code in codes) else None

    def _facts(self, name: str) -> dict[str, Any]:
        content = self._json(name)
        return content if isinstance(content, dict) else {}

    def _json(self, name: str) -> Any:
        """The content of a file that may be missing. Raises ModelUnusable for no JSON."""
        file = self.folder / name
        try:
            return untrusted_json.loads(file.read_bytes()) if file.is_file() else None
        except (OSError, ValueError):
            raise ModelUnusable(f"{name} cannot be read") from None


def model_folder(folder: Path) -> ModelFolder:
    """The files of a model. Raises ModelUnusable when those that must be there are not."""
    model = _first(folder, "model.onnx", "onnx/model.onnx")
    tokenizer = _first(folder, "tokenizer.json", "vocab.txt")
    return ModelFolder(folder, model, tokenizer)


def _first(folder: Path, *names: str) -> Path:
    for file in (folder / name for name in names):
        if file.is_file():
            return file
    raise ModelUnusable(f"{folder} holds no {names[0]}")


def _pooling(config: dict[str, Any]) -> Pooling:
    """By the name of the kind, as it is written now, or by the switches of before."""
    kinds = set(_kinds(config)) or {"mean"}
    done = [kind for kind in POOLINGS if kinds == {kind}]
    if not done:
        raise ModelUnusable(f"pooling that is not done: {', '.join(sorted(kinds))[:80]}")
    return done[0]


def _kinds(config: dict[str, Any]) -> Iterator[str]:
    if isinstance(named := config.get("pooling_mode"), str):
        yield _kind(named)
    for key, on in config.items():
        if key.startswith("pooling_mode_") and on is True:
            yield _kind(key.removeprefix("pooling_mode_"))


def _kind(name: str) -> str:
    """Of a mean, only the direction counts: by which length the sum was divided is no matter."""
    return re.sub(r"(_sqrt_len)?(_tokens?)?$", "", name)
