"""What is read of a folder with a model, and what of it is refused."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.semantic.model_folder import MOST_PIECES, model_folder
from app.engine.semantic.onnx_session import ModelUnusable
from tests.unit.engine.semantic.folders import add, sentence_folder, tokenizer_json


def test_a_model_in_its_own_folder_is_found(tmp_path: Path) -> None:
    sentence_folder(tmp_path)
    (tmp_path / "onnx").mkdir()
    (tmp_path / "model.onnx").rename(tmp_path / "onnx" / "model.onnx")
    assert model_folder(tmp_path).model == tmp_path / "onnx" / "model.onnx"


def test_a_tokenizer_comes_before_a_vocabulary(tmp_path: Path) -> None:
    sentence_folder(tmp_path, tokenizer_json=tokenizer_json())
    assert model_folder(tmp_path).tokenizer_file.name == "tokenizer.json"


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
def test_a_folder_that_lacks_a_part_is_refused(tmp_path: Path, name: str) -> None:
    (sentence_folder(tmp_path) / name).unlink()
    with pytest.raises(ModelUnusable, match="holds no"):
        model_folder(tmp_path)


def test_the_name_is_what_its_makers_call_it(tmp_path: Path) -> None:
    sentence_folder(tmp_path, config_json={"_name_or_path": "sentence-transformers/all-owls-L6"})
    assert model_folder(tmp_path).name == "all-owls-L6"


def test_without_a_name_it_is_called_as_its_folder(tmp_path: Path) -> None:
    assert model_folder(sentence_folder(tmp_path / "my owls")).name == "my-owls"


def test_pooling_is_the_mean_where_nothing_is_said(tmp_path: Path) -> None:
    assert model_folder(sentence_folder(tmp_path)).pooling() == "mean"


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode_lasttoken": True, "word_embedding_dimension": 2}, "lasttoken"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_pooling_is_what_the_folder_says(
    tmp_path: Path, config: dict[str, Any], pooling: str
) -> None:
    add(sentence_folder(tmp_path), "1_Pooling/config.json", config)
    assert model_folder(tmp_path).pooling() == pooling


def test_the_folder_of_pooling_may_have_another_name(tmp_path: Path) -> None:
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "2_Pool", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "path": "3_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    add(
        sentence_folder(tmp_path, modules_json=modules),
        "2_Pool/config.json",
        {"pooling_mode": "cls"},
    )
    assert model_folder(tmp_path).pooling() == "cls"


@pytest.mark.parametrize(
    "config",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
    ],
)
def test_pooling_that_is_not_done_is_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    add(sentence_folder(tmp_path), "1_Pooling/config.json", config)
    with pytest.raises(ModelUnusable, match="pooling"):
        model_folder(tmp_path).pooling()


def test_a_step_that_is_not_done_is_refused(tmp_path: Path) -> None:
    modules = [{"idx": 2, "path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
    folder = model_folder(sentence_folder(tmp_path, modules_json=modules))
    with pytest.raises(ModelUnusable, match="Dense"):
        folder.pooling()


def test_a_configuration_that_is_no_json_is_refused(tmp_path: Path) -> None:
    folder = model_folder(sentence_folder(tmp_path, modules_json="[" * 100_000))
    with pytest.raises(ModelUnusable, match=r"modules\.json"):
        folder.pooling()


def test_the_smallest_length_that_is_told_counts(tmp_path: Path) -> None:
    sentence_folder(
        tmp_path,
        sentence_bert_config_json={"max_seq_length": 128},
        tokenizer_config_json={"model_max_length": 10**30},
        config_json={"max_position_embeddings": 512},
    )
    assert model_folder(tmp_path).most_pieces() == 128


def test_a_length_is_bounded(tmp_path: Path) -> None:
    sentence_folder(tmp_path, config_json={"max_position_embeddings": 8192})
    assert model_folder(tmp_path).most_pieces() == MOST_PIECES


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("---\nlicense: mit\nlanguage: en\n---\n# Owls", {"en"}),
        ("---\nlanguage:\n- en\n- de\nlicense: mit\n---\n# Owls", {"en", "de"}),
        ("---\nlanguage:\n  - en\n  - de\n---\n", {"en", "de"}),
        ("---\nlanguage: [en, fr]\n---\n", {"en", "fr"}),
        ("---\nlanguage: multilingual\n---\n", None),
        ("---\nlicense: mit\n---\nlanguage: en", None),
        ("# Owls\n\nlanguage: en", None),
    ],
)
def test_languages_are_those_of_the_model_card(
    tmp_path: Path, card: str, languages: set[str] | None
) -> None:
    add(sentence_folder(tmp_path), "README.md", card)
    assert model_folder(tmp_path).languages() == languages


def test_without_a_card_the_languages_are_unknown(tmp_path: Path) -> None:
    assert model_folder(sentence_folder(tmp_path)).languages() is None


def fingerprint(folder: Path) -> str:
    files = model_folder(folder)
    return files.fingerprint(files.pooling())


def test_the_same_files_elsewhere_have_the_same_fingerprint(tmp_path: Path) -> None:
    one, other = sentence_folder(tmp_path / "one"), sentence_folder(tmp_path / "other")
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.onnx_data", "more weights"),
        ("vocab.txt", "[CLS]\n[SEP]\n[UNK]\n"),
        ("1_Pooling/config.json", {"pooling_mode": "cls"}),
        ("sentence_bert_config.json", {"max_seq_length": 64}),
    ],
)
def test_whatever_changes_vectors_changes_the_fingerprint(
    tmp_path: Path, name: str, content: Any
) -> None:
    before = fingerprint(sentence_folder(tmp_path))
    add(tmp_path, name, content)
    assert fingerprint(tmp_path) != before


def test_a_vocabulary_with_upper_case_is_refused(tmp_path: Path) -> None:
    sentence_folder(tmp_path, tokenizer_config_json={"do_lower_case": False})
    with pytest.raises(ModelUnusable, match=r"tokenizer\.json"):
        model_folder(tmp_path).tokenizer()


def test_a_vocabulary_without_special_pieces_is_refused(tmp_path: Path) -> None:
    add(sentence_folder(tmp_path), "vocab.txt", "owl\nmouse\n")
    with pytest.raises(ModelUnusable, match=r"vocab\.txt .* lacks"):
        model_folder(tmp_path).tokenizer()
