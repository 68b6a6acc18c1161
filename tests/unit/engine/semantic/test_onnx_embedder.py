"""A sentence model from a folder, run by onnxruntime."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.config.settings import Settings
from app.engine.semantic import onnx_session
from app.engine.semantic.embedder import Vectors
from app.engine.semantic.embedder_choice import choose
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.packaged import onnx_file
from tests import onnx_models
from tests.unit.engine.semantic.folders import (
    TABLE,
    VOCABULARY,
    add,
    sentence_folder,
    tokenizer_json,
    written,
)

PLAIN = Settings(database_url="", redis_url="", secret_key="x" * 32)
OWL, MOUSE = VOCABULARY.index("owl"), VOCABULARY.index("mouse")


def unit(vector: Vectors) -> Vectors:
    scaled: Vectors = vector / np.linalg.norm(vector)
    return scaled


def test_a_vector_is_the_mean_of_its_pieces_with_length_one(tmp_path: Path) -> None:
    [vector] = OnnxEmbedder.from_folder(sentence_folder(tmp_path)).embed(["Owl, mouse"])
    assert vector == pytest.approx(unit(TABLE[OWL] + TABLE[MOUSE]))


@pytest.mark.parametrize(("pooling", "place"), [("cls", 2), ("lasttoken", 3)])
def test_pooling_is_what_the_folder_says(tmp_path: Path, pooling: str, place: int) -> None:
    table = np.eye(len(VOCABULARY), dtype=np.float32)  # each piece has a direction of its own
    add(
        written(tmp_path, onnx_models.sentence_model(table)),
        "1_Pooling/config.json",
        {"pooling_mode": pooling},
    )
    [vector] = OnnxEmbedder.from_folder(tmp_path).embed(["owl mouse"])
    assert int(vector.argmax()) == place  # [CLS] stands first, [SEP] last


def test_an_output_that_is_pooled_already_is_taken_as_it_is(tmp_path: Path) -> None:
    pooled = onnx_file.model(
        [
            onnx_file.node("Gather", ["table", "input_ids"], ["last_hidden_state"]),
            onnx_file.node(
                "ReduceSum", ["last_hidden_state", "axis"], ["sentence_embedding"], keepdims=0
            ),
        ],
        {"table": TABLE, "axis": np.array([1], np.int64)},
        inputs=["input_ids"],
        outputs=["last_hidden_state", "sentence_embedding"],
    )
    modules = [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
    written(tmp_path, pooled, modules_json=modules)
    [vector] = OnnxEmbedder.from_folder(tmp_path).embed(["owl eggs"])
    assert vector == pytest.approx(unit(TABLE[OWL] + TABLE[-1]))


def test_a_tokenizer_is_read_by_its_library(tmp_path: Path) -> None:
    model = OnnxEmbedder.from_folder(sentence_folder(tmp_path, tokenizer_json=tokenizer_json()))
    assert model.embed(["owl mouse"]) == pytest.approx(unit(TABLE[OWL] + TABLE[MOUSE])[None])


def test_no_more_pieces_are_read_than_the_model_takes(tmp_path: Path) -> None:
    sentence_folder(tmp_path, sentence_bert_config_json={"max_seq_length": 8})
    [vector] = OnnxEmbedder.from_folder(tmp_path).embed(["owl " * 6 + "mouse"])
    assert vector == pytest.approx(unit(TABLE[OWL]))


def test_its_length_is_what_it_gives(tmp_path: Path) -> None:
    model = OnnxEmbedder.from_folder(sentence_folder(tmp_path))
    assert (model.dimensions, model.embed([]).shape) == (2, (0, 2))


def test_two_models_with_the_same_files_have_one_name(tmp_path: Path) -> None:
    config = {"_name_or_path": "all-owls"}
    one = OnnxEmbedder.from_folder(sentence_folder(tmp_path / "one", config_json=config))
    other = OnnxEmbedder.from_folder(sentence_folder(tmp_path / "other", config_json=config))
    assert one.name == other.name
    assert one.name.startswith("all-owls:")


def test_a_text_without_a_direction_is_refused_for_good(tmp_path: Path) -> None:
    with pytest.raises(InferenceFailed) as refused:
        OnnxEmbedder.from_folder(sentence_folder(tmp_path)).embed(["unknown words"])
    assert not refused.value.retryable


def test_pieces_that_the_model_has_not_are_refused(tmp_path: Path) -> None:
    folder = sentence_folder(tmp_path)
    add(folder, "vocab.txt", "\n".join([*VOCABULARY, "barn"]))
    with pytest.raises(InferenceFailed, match="cannot be run"):
        OnnxEmbedder.from_folder(folder).embed(["barn"])


@pytest.mark.parametrize("content", [b"", b"junk" * 9])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ModelUnusable, match="cannot be loaded"):
        OnnxEmbedder.from_folder(written(tmp_path, content))


def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match=r"tokenizer\.json"):
        OnnxEmbedder.from_folder(sentence_folder(tmp_path, tokenizer_json={}))


def test_a_cross_encoder_is_no_sentence_model(tmp_path: Path) -> None:
    weights = np.ones(len(VOCABULARY), np.float32)
    with pytest.raises(ModelUnusable, match="no vectors"):
        OnnxEmbedder.from_folder(written(tmp_path, onnx_models.cross_encoder(weights)))


def test_an_input_that_is_not_known_is_refused(tmp_path: Path) -> None:
    model = onnx_file.model(
        [onnx_file.node("Gather", ["table", "position_ids"], ["last_hidden_state"])],
        {"table": TABLE},
        inputs=["position_ids"],
        outputs=["last_hidden_state"],
    )
    with pytest.raises(ModelUnusable, match="position_ids"):
        OnnxEmbedder.from_folder(written(tmp_path, model))


def test_the_folder_of_the_settings_is_chosen(tmp_path: Path) -> None:
    choice = choose(replace(PLAIN, embeddings_dir=str(sentence_folder(tmp_path / "owls"))))
    (model,) = choice.embedders
    assert isinstance(model, OnnxEmbedder)
    assert choice.why == f"embeddings from {model.name} in {tmp_path / 'owls'}"


def test_an_endpoint_comes_before_a_folder(tmp_path: Path) -> None:
    both = replace(
        PLAIN,
        embeddings_dir=str(sentence_folder(tmp_path)),
        embeddings_url="http://127.0.0.1:9/v1",
        embeddings_model="small",
        embeddings_dimensions=3,
    )
    assert choose(both).why == "embeddings from 127.0.0.1/small:3"


def test_a_folder_that_holds_no_model_is_told(tmp_path: Path) -> None:
    choice = choose(replace(PLAIN, embeddings_dir=str(tmp_path)))
    assert (choice.embedders, choice.broken) == ((), True)
    assert "holds no model.onnx" in choice.why


def test_where_there_is_no_onnxruntime_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_session, "find_spec", lambda name: None)
    choice = choose(replace(PLAIN, embeddings_dir=str(sentence_folder(tmp_path))))
    assert (choice.embedders, choice.broken) == ((), True)
    assert "onnxruntime is not installed" in choice.why
