"""What a process becomes that has loaded a model."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.engine.semantic.folders import sentence_folder

LOADED = """
import sys
from pathlib import Path
from app.engine.semantic.onnx_embedder import OnnxEmbedder
before = len(list(Path("/proc/self/task").iterdir()))
OnnxEmbedder.from_folder(Path(sys.argv[1])).embed(["owl mouse"] * 8)
print(len(list(Path("/proc/self/task").iterdir())) - before)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, home: Path) -> "subprocess.CompletedProcess[str]":
    """A process that loads a model and embeds, in an environment where nothing is set."""
    return subprocess.run(
        [sys.executable, "-c", LOADED, str(sentence_folder(tmp_path_factory.mktemp("owls")))],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_a_model_starts_no_thread(ran: "subprocess.CompletedProcess[str]") -> None:
    assert ran.stdout == "0\n"


def test_a_model_writes_nothing_to_the_terminal(ran: "subprocess.CompletedProcess[str]") -> None:
    assert ran.stderr == ""


def test_a_model_keeps_nothing_for_its_makers(
    ran: "subprocess.CompletedProcess[str]", home: Path
) -> None:
    assert list(home.iterdir()) == []
