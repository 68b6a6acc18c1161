"""A cross-encoder from a folder, run by onnxruntime."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.config.settings import Settings
from app.engine.semantic.embedder import Vectors
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.onnx_reranker import OnnxReranker
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.packaged import onnx_file
from app.engine.semantic.rerank_endpoint import RerankEndpoint
from app.engine.semantic.reranker_choice import choose_reranker
from tests import onnx_models
from tests.unit.engine.semantic.folders import (
    VOCABULARY,
    WEIGHTS,
    reranker_folder,
    sentence_folder,
    tokenizer_json,
    written,
)

PLAIN = Settings(database_url="", redis_url="", secret_key="x" * 32)
TEXTS = ["A train.", "The owl lays eggs.", "A mouse."]


def sigmoid(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def test_scores_are_those_of_the_passages_beside_the_question(tmp_path: Path) -> None:
    scores = OnnxReranker(reranker_folder(tmp_path)).scores("train eggs", TEXTS, seconds=60)
    assert scores == pytest.approx([sigmoid(-2), sigmoid(4), sigmoid(0.5)])


def test_a_tokenizer_tells_the_two_texts_apart_too(tmp_path: Path) -> None:
    model = OnnxReranker(reranker_folder(tmp_path, tokenizer_json=tokenizer_json()))
    scores = model.scores("train eggs", ["train", "owl eggs", "mouse"], seconds=60)
    assert scores == pytest.approx([sigmoid(-2), sigmoid(4), sigmoid(0.5)])


def test_a_question_of_any_length_leaves_room_for_the_passage(tmp_path: Path) -> None:
    model = OnnxReranker(reranker_folder(tmp_path, config_json={"max_position_embeddings": 16}))
    assert model.scores("train " * 99, ["eggs"], seconds=60) == pytest.approx([sigmoid(3)])


def of_kinds(folder: Path, weights: Vectors) -> Path:
    """A model that says a number for each kind, by a row of weights for each piece."""
    model = onnx_file.model(
        [
            onnx_file.node("Gather", ["weights", "input_ids"], ["each"]),
            onnx_file.node("ReduceSum", ["each", "axis"], ["logits"], keepdims=0),
        ],
        {"weights": weights, "axis": np.array([1], np.int64)},
        inputs=["input_ids"],
        outputs=["logits"],
    )
    return written(folder, model)


def test_of_two_numbers_the_second_is_for_yes(tmp_path: Path) -> None:
    folder = of_kinds(tmp_path, np.stack([-WEIGHTS, WEIGHTS], axis=1))
    [score] = OnnxReranker(folder).scores("-", ["owl"], seconds=60)
    assert score == pytest.approx(sigmoid(2))


def test_some_scores_are_no_order(tmp_path: Path) -> None:
    model = OnnxReranker(reranker_folder(tmp_path))
    with pytest.raises(InferenceFailed, match="slow: 0 of 3"):
        model.scores("owl", TEXTS, seconds=0)


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    weights = WEIGHTS.copy()
    weights[VOCABULARY.index("eggs")] = np.nan
    model = OnnxReranker(written(tmp_path, onnx_models.cross_encoder(weights)))
    with pytest.raises(InferenceFailed, match="no number"):
        model.scores("owl", TEXTS, seconds=60)


def test_a_sentence_model_is_no_cross_encoder(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="no cross-encoder"):
        OnnxReranker(sentence_folder(tmp_path))


def test_a_model_of_many_kinds_is_no_cross_encoder(tmp_path: Path) -> None:
    folder = of_kinds(tmp_path, np.ones((len(VOCABULARY), 3), np.float32))
    with pytest.raises(ModelUnusable, match="3 kinds"):
        OnnxReranker(folder)


def test_nothing_is_chosen_where_nothing_is_set() -> None:
    choice = choose_reranker(PLAIN)
    assert (choice.reranker, choice.broken) == (None, False)


def test_the_folder_of_the_settings_is_chosen(tmp_path: Path) -> None:
    choice = choose_reranker(replace(PLAIN, rerank_dir=str(reranker_folder(tmp_path / "owls"))))
    assert isinstance(choice.reranker, OnnxReranker)
    assert choice.why == f"reranking by owls in {tmp_path / 'owls'}"


def test_an_endpoint_comes_before_a_folder(tmp_path: Path) -> None:
    both = replace(PLAIN, rerank_dir=str(tmp_path), rerank_url="http://127.0.0.1:9/v1")
    assert isinstance(choose_reranker(both).reranker, RerankEndpoint)


def test_a_folder_that_holds_no_model_is_told(tmp_path: Path) -> None:
    choice = choose_reranker(replace(PLAIN, rerank_dir=str(tmp_path)))
    assert (choice.reranker, choice.broken) == (None, True)
    assert "holds no model.onnx" in choice.why
