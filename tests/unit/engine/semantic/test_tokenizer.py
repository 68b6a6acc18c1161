"""A vocabulary as uncased BERT reads it: normalised, the longest known piece first."""

from app.engine.semantic.tokenizer import Tokenizer, uncased_bert

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "owl", "##s", "barn", "cafe", "!", "鳥", "o"]


def pieces(text: str, most: int = 99) -> list[str]:
    return [PIECES[id] for id in Tokenizer(uncased_bert(PIECES), most).pieces(text).ids]


def test_the_longest_known_piece_is_taken_first() -> None:
    assert pieces("owls barn") == ["[CLS]", "owl", "##s", "barn", "[SEP]"]


def test_capitals_and_accents_are_dropped() -> None:
    assert pieces("CAFÉ cafe\u0301") == ["[CLS]", "cafe", "cafe", "[SEP]"]


def test_signs_and_ideographs_stand_alone() -> None:
    assert pieces("owl!鳥owl") == ["[CLS]", "owl", "!", "鳥", "owl", "[SEP]"]


def test_a_long_text_is_cut_and_still_closed() -> None:
    assert pieces("owls " * 50, most=4) == ["[CLS]", "owl", "##s", "[SEP]"]


def test_two_texts_are_told_apart() -> None:
    both = Tokenizer(uncased_bert(PIECES), 99).pieces("owl", "barn")
    assert ([PIECES[id] for id in both.ids], both.types) == (
        ["[CLS]", "owl", "[SEP]", "barn", "[SEP]"],
        [0, 0, 0, 1, 1],
    )
