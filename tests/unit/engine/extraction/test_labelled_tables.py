"""Tables that name what stands in them: labels and heads of columns are no values."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan
from tests.unit.engine.extraction.reading import records

SHIP = {"Version": "1.8.0", "Maintainer": "Ada Moor", "Section": "harbours", "Licence": "free"}

NAMES = ("Rope", "Tar", "Sail")
HELD = ("name", "cargo", "keeper")
FIGURES = "".join(f"<tr><td>{name}<td>4{at}<td>5{at}" for at, name in enumerate(NAMES))


def read(body: str, *names: str) -> list[dict[str, Any]]:
    return records(body, "moor", **{name: {"type": "string"} for name in names})


def rows(value: str = "td", mark: str = "") -> str:
    return "".join(
        f"<tr><th class=fieldName>{k}{mark}</th><td class={value}>{v}</td></tr>"
        for k, v in SHIP.items()
    )


def test_a_head_above_all_columns_says_what_a_table_is_about_and_names_none() -> None:
    table = f"<table><thead><tr><th colspan=2>General</th></tr></thead><tbody>{rows()}</table>"
    found = read(f"<h1>moor</h1>{table}", "name", "version", "maintainer", "section")
    assert [each.get("version") for each in found] == ["1.8.0"]


@pytest.mark.parametrize("other", ["licence", "section"])
def test_a_table_with_another_label_in_each_row_is_one_record(other: str) -> None:
    found = read(f"<table><tr><th>Name</th><td>moor</td></tr>{rows()}</table>", "name", other)
    assert found == [{"name": "moor", other: SHIP[other.title()]}]


@pytest.mark.parametrize("mark", [":", "："])
def test_a_label_is_no_value_whatever_its_class_is_called(mark: str) -> None:
    found = read(f"<table>{rows(mark=mark)}</table>", "name", "version", "maintainer")
    assert [each.get("name") for each in found] == [None]


def test_links_beside_each_other_do_not_name_each_other() -> None:
    links = "<td class=link><a href=/t>tree</a> | <a href=/s>snapshot</a></td>"
    table = (
        "<table><tr><td>author</td><td>Ada Moor</td><td></td></tr>"
        f"<tr><td>tree</td><td><a href=/t>4b825dc6</a></td>{links}</tr></table>"
    )
    found = read(f"<h1>A commit</h1>{table}", "title", "tree", "author")
    assert "snapshot" not in {each.get("tree") for each in found}


def test_the_heads_of_a_table_within_a_row_are_no_values_of_it() -> None:
    tables = "".join(
        f"<table class=use><caption>Methods of {name}</caption>"
        "<tr><th>Type</th><th>Method</th><th>Description</th></tr>"
        f"<tbody><tr><td>void {n}</td><th>{name}.moor(int {n})</th><td>&nbsp;</td></tr></tbody>"
        "</table>"
        for n, name in enumerate(("Boat", "Ship", "Raft"))
    )
    values = [value for each in read(tables, "method", "description") for value in each.values()]
    assert not {"Method", "Description"} & set(values)


def test_a_sign_that_all_rows_end_with_names_no_column() -> None:
    def term(text: str) -> str:
        return f"<dt><span>: </span><span>{text}<a href=#a> ¶</a></span></dt>"

    terms = "".join(
        f"<dl class=def>{term(f'Ship moor{n} (int)')}{term(f'Ship moor{n} (int, double)')}</dl>"
        for n in range(5)
    )
    assert all("description" not in each for each in read(terms, "function", "description"))


GOODS: dict[str, Any] = {
    "title": "Good",
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "store": {"type": "string"},
        "price": {"type": "number", "description": "in EUR"},
        "weight": {"type": "number", "description": "in kg"},
    },
}


def goods(table: str) -> list[dict[str, Any]]:
    markup = f"<html lang=en><body><h1>Goods</h1><table>{table}</table></body></html>"
    return [each.data for each in extract(markup, "https://a.test/goods", plan(GOODS)).records]


def test_a_cell_that_spans_rows_is_a_value_of_each_and_moves_no_other() -> None:
    found = goods(
        "<tr><th>Store<th>Name<th>Price"
        "<tr><td rowspan=2>North<td>Rope<td>4 €<tr><td>Tar<td>5 €"
        "<tr><td rowspan=2>South<td>Sail<td>6 €<tr><td>Oar<td>7 €"
    )
    assert found == [
        {"store": store, "name": name, "price": price}
        for store, name, price in (
            ("North", "Rope", 4), ("North", "Tar", 5), ("South", "Sail", 6), ("South", "Oar", 7)
        )
    ]  # fmt: skip


def test_below_a_heading_of_several_columns_each_has_its_own() -> None:
    rows = "".join(f"<tr><td>Rope {n}<td>{n} €<td>{n}.5" for n in "123")
    head = "<tr><th rowspan=2>Name<th colspan=2>Figures<tr><th>Price<th>Weight"
    assert goods(head + rows) == [
        {"name": f"Rope {n}", "price": int(n), "weight": int(n) + 0.5} for n in "123"
    ]


def test_headings_within_a_table_are_no_records_and_name_what_is_below() -> None:
    rows = "<tr><td>Rope {0}<td>{0} €<tr><td>Tar {0}<td>{0} €"
    head = "<tr><th>Name<th>Price"
    found = goods(head + rows.format(1) + "<tr><td colspan=2>South" + head + rows.format(2))
    assert [each["name"] for each in found] == ["Rope 1", "Tar 1", "Rope 2", "Tar 2"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Price (EUR)<th>Weight (kg)", {"price": 41, "weight": 51}),
        ("Price (USD)<th>Weight (g)", {}),
        ("Price in $<th>Weight in g", {}),
        ("Price (thousands)<th>Weight (thousands)", {}),
    ],
)
def test_a_number_in_another_unit_by_its_heading_is_not_shown(
    head: str, expected: dict[str, int]
) -> None:
    assert goods(f"<tr><th>Name<th>{head}{FIGURES}")[1] == {"name": "Tar", **expected}


@pytest.mark.parametrize(
    "said",
    [
        "All figures in thousands.",
        "All figures in 1,000 EUR.",
        "Beträge in € 1.000",
        "Values are millions of euros.",
        "en milliers d'euros",
    ],
)
def test_rows_are_records_though_their_numbers_are_thousands(said: str) -> None:
    table = f"<table><tr><th>Name<th>Price<th>Weight{FIGURES}</table>"
    found = records(f"<p>{said}</p>{table}", **GOODS["properties"])
    assert found == [{"name": name} for name in NAMES]


def test_an_amount_without_cents_is_in_thousands_as_well_and_people_are_not() -> None:
    amount = {"type": "integer", "description": "in EUR"}
    fields = {"name": {"type": "string"}, "sales": amount, "staff": {"type": "integer"}}
    table = f"<table><tr><th>Name<th>Sales<th>Staff{FIGURES}</table>"
    found = records(f"<p>In thousands of euros</p>{table}", **fields)
    assert [set(each) for each in found] == [{"name", "staff"}] * 3


def test_heads_of_columns_are_no_pair_where_the_first_is_empty() -> None:
    table = "<tr><th><th>Name<th>Store<tr><td>7<td>Rope<td><tr><td>8<td>Tar<td>"
    assert [each.get("name") for each in goods(table)] != ["Store"]


def test_links_of_a_menu_do_not_name_each_other() -> None:
    menu = "<div><a href=a>Files</a> <a href=b>Stores</a> <a href=c>Names</a> <a>Groups</a></div>"
    assert read(f"{menu}<h1>moor</h1><p>A harbour.</p>", "store", "price") == []


def test_what_a_field_is_called_is_no_value_of_it() -> None:
    section = "<div class=section><h2 id=store class=store>7.3. Store</h2><p>It is far.</p></div>"
    assert [each.get("store") for each in read(f"<h1>moor</h1>{section}", "name", "store")] != [
        "7.3. Store"
    ]


def test_a_row_called_a_total_is_no_record() -> None:
    rows = "<tr><td>Rope<td>4<tr><td>Tar<td>5<tr><td>Subtotal<td>9<tr><td>Oar<td>6"
    table = f"<table><tr><th>Name<th>Price{rows}<tr><td>Grand total<td>17.85</table>"
    assert len(goods(table)) == 3
    assert len(goods("<table><tr><th>Name<th>Price<tr><td>Rope<td>4<tr><td>Tar<td>5"
                     "<tr><td>Total<td>9</table>")) == 2  # fmt: skip


def test_rows_whose_names_are_numbered_are_all_records() -> None:
    rows = "".join(f"<tr><td>Lamp {number}<td>in oak" for number in (1, 2, 3, 4, 10))
    assert len(goods(f"<table><tr><th>Name<th>Store{rows}</table>")) == 5


def test_of_tables_alike_that_is_read_whose_head_says_what_is_asked_for() -> None:
    def table(head: str, sign: str) -> str:
        text = "Says in a few words what it does, and when."
        rows = "".join(f"<tr><td>{sign}{at}<td>{text} {at}" for at in range(5))
        return f"<table><tr><th>{head}<th>Description{rows}</table>"

    names = ("name", "description")
    schema = {"title": "Function", "properties": {name: {"type": "string"} for name in names}}
    body = f"<h1>Harbour</h1>{table('Option', '--flag')}<p>And</p>{table('Function', 'moor')}"
    page = extract(f"<html lang=en><body>{body}</body></html>", "https://a.test/", plan(schema))
    assert [each.data["name"] for each in page.records] == [f"moor{at}" for at in range(5)]


def test_of_columns_that_look_alike_each_answers_the_field_that_its_head_names() -> None:
    rows = "".join(f"<tr><td>{name}<td>£{n}<td>£{n + 9}" for n, name in enumerate(NAMES, 20))
    table = f"<table><tr><th>Service<th>Junior stylist<th>Senior stylist{rows}</table>"
    number = {"type": "number"}
    found = records(table, service={"type": "string"}, senior_price=number, junior_price=number)
    assert found[0] == {"service": "Rope", "junior_price": 20, "senior_price": 29}


def test_the_head_of_a_column_is_no_value_for_the_figure_in_it() -> None:
    heads = "<tr><th>Ship</th><th>Cargo 2</th><th>Cargo Q4</th></tr>"
    found = read(f"<h1>Harbour</h1><table>{heads}{FIGURES}</table><p>Keeper: Ann", *HELD)
    assert found == [{"name": "Harbour", "keeper": "Ann"}]


def test_the_term_of_a_list_is_no_value_for_the_figure_in_it() -> None:
    terms = "<dl><dt>Cargo 2</dt><dd>hemp</dd><dt>Keeper</dt><dd>Ann</dd></dl>"
    assert read(f"<h1>Harbour</h1>{terms}", *HELD)[0].get("cargo") != "Cargo 2"
