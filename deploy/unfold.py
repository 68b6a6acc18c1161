"""`python deploy/unfold.py FOLDER`: the packaged model's weights as all processes map them."""

import sys
from pathlib import Path

from app.engine.semantic import minilm


def main(folder: Path) -> None:
    package = minilm.installed()
    if package is None:
        sys.exit("The packaged model is not installed: requirements/models.lock.")
    minilm.MiniLM(package, folder)
    for file in folder.iterdir():
        file.chmod(0o644)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
