"""Cells of tables say the names of their columns, for screens that show rows as cards."""

from markupsafe import Markup

from app.web.frame.table_cards import table_cards

HEAD = (
    '<thead><tr><th scope="col">Name &amp; "id"</th><th scope="col" class="num"><a href="?">Size'
    '</a></th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>'
)


def shown(rows: str) -> str:
    return str(table_cards(Markup(f"{HEAD}<tbody>{rows}</tbody>")))  # noqa: S704


def test_each_cell_says_the_name_of_its_column() -> None:
    made = shown('<tr id="a"><td>x</td>\n<td class="num">1</td><td><button>Go</button></td></tr>')
    assert '<tr id="a" role="row">' in made
    assert '<td role="cell" data-label="Name &amp; &#34;id&#34;">x</td>' in made
    assert '<td class="num" role="cell" data-label="Size">1</td>' in made
    assert '<td role="cell"><button>Go</button></td>' in made


def test_the_head_of_a_row_is_its_title() -> None:
    assert '<th scope="row" role="rowheader">x</th><td role="cell" data-label="Size">' in shown(
        '<tr><th scope="row">x</th><td>1</td></tr>'
    )


def test_columns_are_counted_anew_in_each_row_and_across_spans() -> None:
    made = shown('<tr><td colspan="2">x</td><td>y</td></tr><tr><td>1</td><td>2</td></tr>')
    assert '<td colspan="2" role="cell">x</td><td role="cell">y</td>' in made
    assert 'data-label="Size">2<' in made


def test_what_has_more_cells_than_columns_is_shown_all_the_same() -> None:
    assert shown("<tr><td>1</td><td>2</td><td>3</td><td>4</td></tr>").endswith(
        '<td role="cell">4</td></tr></tbody>'
    )


def test_the_head_has_roles_too() -> None:
    assert '<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">' in shown("")
