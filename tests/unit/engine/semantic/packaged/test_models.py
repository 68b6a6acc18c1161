"""Facts that hold of each packaged model."""

import os

import numpy as np
import pytest

from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.packaged import models

LOADS = models.installed()
pytestmark = pytest.mark.skipif(
    not LOADS, reason="the packaged models could not be installed; make models tries again"
)


@pytest.fixture(params=range(len(LOADS)))
def model(request: pytest.FixtureRequest) -> OnnxEmbedder:
    return LOADS[request.param]()


def test_they_are_for_different_languages() -> None:
    known = [code for load in LOADS for code in load().languages or ()]
    assert len(known) == len(set(known))


def test_vectors_have_length_one(model: OnnxEmbedder) -> None:
    assert np.linalg.norm(model.embed(["", "owl", "鳥" * 300]), axis=1) == pytest.approx(1)


def test_a_fork_embeds_with_the_model_that_was_loaded_before(model: OnnxEmbedder) -> None:
    there, here = os.pipe()
    if (child := os.fork()) == 0:
        os.write(here, model.embed(["owls"]).tobytes())
        loaded = [load() for load in models.installed()]
        os._exit(0 if any(each is model for each in loaded) else 1)
    os.close(here)
    with open(there, "rb") as said:
        vectors = np.frombuffer(said.read(), np.float32)
    assert os.waitpid(child, 0)[1] == 0
    assert vectors.tolist() == model.embed(["owls"])[0].tolist()
