"""Tables drawn with a grid of CSS are read as tables."""

from collections.abc import Callable
from functools import partial

import pytest

from app.engine.pages.blocks.grids import as_tables
from app.engine.pages.formats.html import parse, read_html
from tests.costs import times_as_much

HEAD = '<div class="head first">Method</div><div class="head last">Description</div>'
ROWS = (
    '<div class="first even">open()</div><div class="last even"><p>Opens a page.</p></div>'
    '<div class="first odd">close()</div><div class="last odd"><p>Closes it again.</p></div>'
)
LONG = "<p>A class of pages, which are opened, read and closed again by those who use them.</p>"


def tables(inside: str) -> list[list[list[str]]]:
    """The texts of the cells of each table, row by row."""
    root = parse(f"<body><div>{inside}</div></body>")
    return [
        [[cell.text_content() for cell in row] for row in table] for table in root.iter("table")
    ]


def test_the_cells_below_as_many_heads_are_rows() -> None:
    assert tables(HEAD + ROWS) == [
        [
            ["Method", "Description"],
            ["open()", "Opens a page."],
            ["close()", "Closes it again."],
        ]
    ]


def test_a_row_of_a_grid_is_a_line_of_the_page() -> None:
    page = read_html(f"<body>{LONG}<div>{HEAD + ROWS}</div></body>", "http://h/")
    assert "open() | Opens a page." in page.text.replace("Method: ", "")


@pytest.mark.parametrize(
    "inside",
    [
        "between" + HEAD + ROWS,
        HEAD + ROWS + '<div class="first even">left over</div>',
        HEAD + ROWS.replace('class="last', 'class="first'),
        ROWS + ROWS,
        HEAD,
        HEAD.replace("head ", "") + ROWS,
        (HEAD + ROWS).replace("div", "span"),
        '<div class="new">A</div>' * 2 + "<div>B</div>" * 4,
    ],
    ids=["text", "part", "columns", "headless", "empty", "heads", "spans", "plain"],
)
def test_what_only_looks_like_one_is_left_alone(inside: str) -> None:
    assert tables(inside) == []


def test_a_fragment_of_lines_is_a_listing() -> None:
    lines = "".join(
        f'<div class="line"><a name="l{n}"></a><span class="lineno">    {n}</span>{code}</div>\n'
        for n, code in enumerate(("if (grow(&amp;b))", "    return -1;"), 1)
    )
    page = read_html(f'<body>{LONG}<div class="fragment">{lines}</div></body>', "http://h/")
    assert [page.text[start:end] for start, end in page.code] == ["if (grow(&b))\n    return -1;"]
    assert page.headings == ()


NAMED = """<div role="table"><div role="rowgroup"><div role="row"><div role="columnheader">Key</div>
<div role="columnheader">Means</div></div></div><div role="rowgroup"><div role="row">
<div role="rowheader">port</div><div role="cell"><p>where it listens</p></div></div></div></div>"""


def test_what_is_a_table_by_its_roles_is_read_as_one() -> None:
    page = read_html(f"<body>{LONG}{NAMED}</body>", "http://h/")
    assert page.text.endswith("Key | Means\nport | where it listens")


@pytest.mark.parametrize("role", ["cell", "row"])
def test_a_part_that_has_no_role_keeps_a_table_from_being_one(role: str) -> None:
    page = read_html(f"<body>{LONG}{NAMED.replace(role + chr(34), chr(34))}</body>", "http://h/")
    assert page.text.endswith("where it listens")
    assert "|" not in page.text


def test_the_classes_of_a_first_cell_cost_no_more_than_the_cells() -> None:
    def work(many: int) -> Callable[[], object]:
        names = " ".join(f"c{n}" for n in range(many))
        heads, cells = f"<div class='{names}'></div>" * 2, "<div></div>" * many
        return partial(as_tables, parse(f"<body><div>{heads}{cells}</div>"))

    assert times_as_much(work(4_000), work(1_000), 10, floor_seconds=0.001) < 10
