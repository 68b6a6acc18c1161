"""Text as word pieces: normalised as BERT does, the longest known piece first."""

from app.engine.semantic.wordpiece import WordPiece

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "owl", "##s", "barn", "cafe", "!", "鳥", "o"]
TOKENIZER = WordPiece(PIECES)


def pieces(text: str, most: int = 99) -> list[str]:
    return [PIECES[id] for id in TOKENIZER.ids(text, most)]


def test_a_text_stands_between_the_special_pieces() -> None:
    assert pieces("barn") == ["[CLS]", "barn", "[SEP]"]


def test_the_longest_known_piece_is_taken_first() -> None:
    assert pieces("owls") == ["[CLS]", "owl", "##s", "[SEP]"]


def test_a_word_that_pieces_do_not_cover_is_unknown_as_a_whole() -> None:
    assert pieces("owlx barn") == ["[CLS]", "[UNK]", "barn", "[SEP]"]


def test_capitals_and_accents_are_dropped() -> None:
    assert pieces("CAFÉ cafe\u0301") == ["[CLS]", "cafe", "cafe", "[SEP]"]


def test_signs_and_ideographs_stand_alone() -> None:
    assert pieces("owl!鳥owl") == ["[CLS]", "owl", "!", "鳥", "owl", "[SEP]"]


def test_control_characters_vanish() -> None:
    assert pieces("o\x00w\u200bl") == ["[CLS]", "owl", "[SEP]"]


def test_a_long_text_is_cut_and_still_closed() -> None:
    assert pieces("owls " * 50, most=4) == ["[CLS]", "owl", "##s", "[SEP]"]


def test_a_word_of_more_than_a_hundred_characters_is_unknown() -> None:
    assert pieces("owl" + "s" * 100) == ["[CLS]", "[UNK]", "[SEP]"]


def test_an_empty_text_is_the_special_pieces() -> None:
    assert pieces("") == ["[CLS]", "[SEP]"]
