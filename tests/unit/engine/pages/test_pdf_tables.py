"""Tables of PDFs: rows and cells by where their text stands."""

from app.engine.pages.formats.pdf import read_pdf
from tests.unit.engine.pages.pdf_bytes import pdf

_COLUMNS = (72, 220, 340)


def _shown(*texts: tuple[int, int, str]) -> str:
    """Operators that show texts of 12 points at (x, y)."""
    return "\n".join(f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in texts)


def _row(y: int, *cells: str) -> str:
    return _shown(*((x, y, cell) for x, cell in zip(_COLUMNS, cells, strict=True) if cell))


def test_rows_of_a_table_stand_each_on_a_line_with_their_cells() -> None:
    drawn = "\n".join([
        _row(700, "Owl", "Clutch", "Days"),
        _row(680, "Barn owl", "4 to 7 eggs", "30"),
        _row(660, "Tawny owl", "2 to 4 eggs", ""),
        _row(640, "Long-eared owl", "3 to 5 eggs", "28"),
    ])  # fmt: skip
    page = read_pdf(pdf([(12, 740, "Eggs of owls, counted by hand.")], drawn=drawn))
    assert page.text == (
        "Eggs of owls, counted by hand.\n\nOwl | Clutch | Days\nBarn owl | 4 to 7 eggs | 30\n"
        "Tawny owl | 2 to 4 eggs |\nLong-eared owl | 3 to 5 eggs | 28"
    )


def test_a_cell_of_several_lines_is_one_beside_cells_in_the_middle_of_the_row() -> None:
    drawn = "\n".join([
        _row(700, "Owl", "Food", "Days"),
        _shown((72, 670, "Barn owl"), (220, 677, "mice and"), (220, 663, "voles")),
        _shown((340, 670, "30")),
        _row(640, "Tawny owl", "frogs", "29"),
    ])  # fmt: skip
    page = read_pdf(pdf([], drawn=drawn))
    assert page.text == "Owl | Food | Days\nBarn owl | mice and voles | 30\nTawny owl | frogs | 29"


def test_the_head_of_a_table_stands_once_and_its_rows_on_their_pages() -> None:
    drawn = "\n".join([
        _row(700, "Owl", "Clutch", "Days"),
        _row(680, "Barn owl", "4", "30"),
        _row(660, "Tawny owl", "2", "29"),
    ])  # fmt: skip
    page = read_pdf(pdf([], [], drawn=drawn))
    rows = "Barn owl | 4 | 30\nTawny owl | 2 | 29"
    assert page.text == f"Owl | Clutch | Days\n{rows}\n{rows}"
    assert page.pages == (0, page.text.rindex("Barn owl"))


def test_words_that_stand_apart_to_fill_a_line_are_no_cells() -> None:
    lines = ["It hunts at dusk and at", "dawn over wet meadows on", "the edge of woods and is"]
    drawn = "14 Tw\n" + _shown(*((72, 700 - 14 * n, line) for n, line in enumerate(lines)))
    assert read_pdf(pdf([], drawn=drawn)).text == " ".join(lines)


def test_two_columns_of_text_are_read_one_after_the_other() -> None:
    left = [(72, 700 - 14 * n, f"the owl number {n} of them is") for n in range(30)]
    right = [(340, 700 - 14 * n, f"the vole number {n} of them is") for n in range(30)]
    text = read_pdf(pdf([], drawn=_shown(*left, *right))).text
    assert text == " ".join(words for _, _, words in (*left, *right))


def test_the_rows_of_a_long_table_do_not_join_paragraphs() -> None:
    prose = [
        (12, 770, "The barn owl hunts voles over meadows."),
        (12, 756, "It eats mice as well."),
        (12, 732, "The tawny owl stays in its wood."),
        (12, 718, "It eats frogs as well."),
    ]
    rows = "\n".join(_row(690 - 24 * n, f"Owl {n}", "voles", f"{n + 20}") for n in range(20))
    text = read_pdf(pdf(prose, drawn=rows)).text
    assert "It eats mice as well.\n\nThe tawny owl" in text


def test_a_line_right_above_a_table_is_no_part_of_it() -> None:
    owls = [_row(686, "Owl", "Eggs", ""), _row(672, "Barn", "4", ""), _row(658, "Tawny", "2", "")]
    page = read_pdf(pdf([(12, 700, "Clutches of owls in the meadows.")], drawn="\n".join(owls)))
    assert page.text == "Clutches of owls in the meadows.\n\nOwl | Eggs\nBarn | 4\nTawny | 2"
