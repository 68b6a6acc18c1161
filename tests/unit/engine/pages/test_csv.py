"""CSV: each row says what its values are."""

import pytest

from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.read import read

URL = "https://example.org/owls.csv"


def text(body: bytes, media_type: str = "text/csv", charset: str | None = None) -> str:
    return read(body, media_type, charset, URL).text


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_row_has_the_names_of_its_columns(separator: str) -> None:
    rows = [["Species", "Eggs", "Note"], ["Barn owl", "7", ""], ["Tawny owl", "3", "large"]]
    body = "\r\n".join(separator.join(row) for row in rows).encode()
    assert text(body) == "Species: Barn owl; Eggs: 7\nSpecies: Tawny owl; Eggs: 3; Note: large"


def test_without_names_a_row_is_its_cells() -> None:
    assert text(b"7,2.5\n3,1\n") == "7 | 2.5\n3 | 1"


def test_a_row_longer_than_any_field_is_parted() -> None:
    body = b",".join(b"%d" % number for number in range(40_000))
    assert text(body).startswith("0 | 1 | 2")


def test_a_long_cell_is_no_damage() -> None:
    assert text(b'Name,Note\nOwl,"' + b"word " * 40_000 + b'"\n').startswith(
        "Name: Owl; Note: word"
    )


def test_quoted_cells_hold_separators_quotes_and_line_ends() -> None:
    body = b'Name,Note\n"Owl, barn","It says ""hoo""\nat night"\n'
    assert text(body) == 'Name: Owl, barn; Note: It says "hoo" at night'


def test_rows_of_other_lengths_lose_nothing() -> None:
    assert text(b"Name,Eggs\nBarn owl\nTawny owl,3,large\n") == (
        "Name: Barn owl\nName: Tawny owl; Eggs: 3; large"
    )


def test_values_between_tabs_may_hold_commas() -> None:
    body = b"Name\tNote\nBarn owl\twhite, large, quiet\n"
    assert text(body, "text/tab-separated-values") == "Name: Barn owl; Note: white, large, quiet"


@pytest.mark.parametrize("charset", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_read_in_the_encoding_it_is_in(charset: str) -> None:
    declared = charset if charset == "cp1252" else None
    assert text("Größe,Länge\n1,2\n".encode(charset), charset=declared) == "Größe: 1; Länge: 2"


def refusal(body: bytes) -> Unreadable:
    with pytest.raises(PageUnreadable) as caught:
        text(body)
    return caught.value.reason


@pytest.mark.parametrize(
    ("rows", "kite"),
    [
        ('1,"Barn owl,5\n2,"Tawny owl",6\n3,Kite,7\n', "No: 3; Name: Kite; Eggs: 7"),
        ('1,"Barn owl,5\n2,Tawny owl,6\n3,Kite,7\n', "No: 3; Name: Kite; Eggs: 7"),
        ('"1","a, b","5\n"2","Tawny owl","6"\n"3","Kite","7"\n', "No: 3; Name: Kite; Eggs: 7"),
    ],
)
def test_a_row_whose_closing_quote_is_missing_swallows_no_others(rows: str, kite: str) -> None:
    shown = text(f"No,Name,Eggs\n{rows}".encode()).splitlines()
    assert (len(shown), shown[1], shown[2]) == (3, "No: 2; Name: Tawny owl; Eggs: 6", kite)
    assert shown[0].endswith("; Eggs: 5")


def test_spaces_after_a_quotation_of_several_lines_are_no_damage() -> None:
    body = b'Name,Note,Eggs\n"Owl","It says hoo\nat night" ,7\n'
    assert text(body) == "Name: Owl; Note: It says hoo at night; Eggs: 7"


def test_a_table_of_stray_quotes_is_damage() -> None:
    assert refusal(b"Name,Note\n" + b'a","c\n' * 100) is Unreadable.DAMAGED


def test_names_that_make_a_table_many_times_as_large_are_refused() -> None:
    names = ",".join(f"name{number:0>36}" for number in range(1_000))
    row = ",".join("1" * 1_000)
    assert refusal("\n".join([names, *[row] * 400]).encode()) is Unreadable.TOO_LARGE


@pytest.mark.parametrize("body", [b",,\n,,\n", b"Name,Eggs\n"])
def test_a_table_without_values_is_empty(body: bytes) -> None:
    assert refusal(body) is Unreadable.EMPTY


def test_a_line_that_states_the_separator_is_no_row() -> None:
    body = b"sep=;\r\nSpecies;Eggs\r\nBarn owl, white;7\r\n"
    assert text(body) == "Species: Barn owl, white; Eggs: 7"
