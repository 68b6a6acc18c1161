"""Tables whose columns are the records: things side by side."""

from typing import Any

from tests.unit.engine.extraction.reading import records

TEXT = {"type": "string"}
NUMBER = {"type": "number"}


def read(markup: str, **fields: Any) -> list[dict[str, Any]]:
    return records(f"<h1>Which one?</h1>{markup}", "Shop", **fields)


def table(*rows: str, first: str = "td") -> str:
    cells = ([*row.split("|")] for row in rows)
    head, *body = (
        f"<tr><{first}>{name}</{first}>" + "".join(f"<td>{each}" for each in values)
        for name, *values in cells
    )
    return f"<table>{head}{''.join(body)}</table>"


BOOK = ("author", "isbn", "publisher", "pages")
MODEL: dict[str, Any] = {"model": TEXT, "price": NUMBER, "weight": TEXT}
SAWS = ("|Kite 10|Kite 20|Kite 30", "Price|€89|€129|€199", "Weight|2 kg|3 kg|4.5 kg")


def test_things_side_by_side_are_records() -> None:
    found = read(table(*SAWS), model=TEXT, price=NUMBER, weight=TEXT)
    assert found == [
        {"model": "Kite 10", "price": 89, "weight": "2 kg"},
        {"model": "Kite 20", "price": 129, "weight": "3 kg"},
        {"model": "Kite 30", "price": 199, "weight": "4.5 kg"},
    ]


def test_a_label_need_not_say_the_unit_of_its_field() -> None:
    rows = (SAWS[0], "Blade|20 cm|25 cm|30 cm", "Cable|3 m|4 m|5 m")
    found = read(table(*rows), model=TEXT, blade_cm=NUMBER, cable_m=NUMBER)
    assert [each["blade_cm"] for each in found] == [20, 25, 30]
    assert [each["cable_m"] for each in found] == [3, 4, 5]


def test_a_table_in_a_cell_is_a_part_of_the_cell() -> None:
    inner = "<table><tr><td colspan=2>2 kg</td></tr></table>"
    found = read(table(SAWS[0], SAWS[1], SAWS[2].replace("2 kg", inner)), **MODEL)
    assert [each["weight"] for each in found] == ["2 kg", "3 kg", "4.5 kg"]


def test_the_first_row_may_say_what_it_is() -> None:
    rows = ("Year|2023|2024|2025", "Revenue|€410|€430|€475", "Profit|€21|€9|€33")
    found = read(table(*rows, first="th"), year={"type": "integer"}, revenue=NUMBER, profit=NUMBER)
    assert [each["year"] for each in found] == [2023, 2024, 2025]
    assert [each["profit"] for each in found] == [21, 9, 33]


def test_what_a_column_lacks_is_not_taken_from_its_neighbour() -> None:
    rows = (SAWS[0], "Price|€89||€199", SAWS[2])
    found = read(table(*rows), model=TEXT, price=NUMBER, weight=TEXT)
    assert [each.get("price") for each in found] == [89, None, 199]


def test_least_and_most_of_a_property_are_no_things() -> None:
    rows = ("Parameter|Min|Typ|Max", "Voltage|2|3|5", "Current|10|20|40")
    found = read(table(*rows), part=TEXT, voltage=NUMBER, current=NUMBER)
    assert len(found) <= 1


def test_properties_of_which_few_are_asked_for_make_no_records_of_columns() -> None:
    rows = ("|North|South|West", "Rain|12|30|7", "Sun|140|99|180", "Price|€4|€5|€6")
    found = read(table(*rows), name=TEXT, price=NUMBER, rain=TEXT, **dict.fromkeys(BOOK, TEXT))
    assert len(found) <= 1
