"""The pieces of a text, of a vocabulary as `tokenizer.json` has it."""

from pathlib import Path

import pytest

from app.engine.semantic.packaged.sentence_pieces import SentencePieces, model_file

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
VOCABULARY = [*SPECIAL, "▁owl", "s", "▁", "o", "w", "l", "<mask>"]
FIRST, LAST, UNKNOWN, OWL, S = 0, 2, 3, 4, 5


@pytest.fixture
def pieces(tmp_path: Path) -> SentencePieces:
    tokenizer = {
        "added_tokens": [{"id": VOCABULARY.index(x)} for x in [*SPECIAL, "<mask>"]],
        "normalizer": {"normalizers": [{"precompiled_charsmap": ""}, {"type": "Replace"}]},
        "model": {"vocab": [[x, -float(id)] for id, x in enumerate(VOCABULARY)]},
    }
    file = tmp_path / "sentencepiece.model"
    file.write_bytes(model_file(tokenizer))
    return SentencePieces(file, most=6)


def test_a_text_is_cut_into_the_pieces_of_the_vocabulary(pieces: SentencePieces) -> None:
    assert pieces.pieces("owls").ids == [FIRST, OWL, S, LAST]


def test_spaces_are_one(pieces: SentencePieces) -> None:
    assert pieces.pieces("  owl   owl ").ids == [FIRST, OWL, OWL, LAST]


@pytest.mark.parametrize("text", ["鳥", "\ud800", "\0"])
def test_what_no_piece_has_is_unknown(pieces: SentencePieces, text: str) -> None:
    assert UNKNOWN in pieces.pieces(f"owl{text}").ids


@pytest.mark.parametrize("text", ["<mask>", "</s>", "<pad>"])
def test_the_name_of_a_special_piece_is_only_text(pieces: SentencePieces, text: str) -> None:
    inner = pieces.pieces(text).ids[1:-1]
    assert not {VOCABULARY.index("<mask>"), VOCABULARY.index("<pad>"), LAST} & set(inner)


def test_no_more_is_read_than_the_model_takes(pieces: SentencePieces) -> None:
    read = pieces.pieces("owl " * 9)
    assert read.ids == [FIRST, *[OWL] * 4, LAST]
    assert read.types == [0] * 6
