"""A statement of several tables says of each column whose it is.

Otherwise a migration that gives another of its tables a column of that name breaks the processes of
the release before, which are still at work.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import exp, parse_one
from sqlglot.errors import ParseError

from tests.statements import statements, with_nulls

LEVELS = (exp.Select, exp.Update, exp.Delete)
"""What has tables of its own: a statement, or a query within one."""
QUERIES = (*LEVELS, exp.Insert, exp.SetOperation, exp.CTE, exp.With)
KNOWN = set(Path(__file__).with_name("unqualified_columns").read_text().split())
"""Statements from before this was asked for. The list may only become shorter."""


def unqualified(statement: str) -> set[str]:
    """The names of such columns."""
    tree = parse_one(with_nulls(statement), dialect="postgres")
    named = {cte.alias for cte in tree.find_all(exp.CTE)}
    return {name for level in tree.find_all(*LEVELS) for name in _of_level(level, named)}


def _of_level(level: exp.Expression, named: set[str]) -> Iterator[str]:
    """`named` are queries of the statement, whose columns no migration changes."""
    nodes = list(_own_nodes(level))
    tables = [node for node in nodes if isinstance(node, exp.Table)]
    known = {node.alias_or_name for node in nodes if node in tables or _is_derived(node)}
    if len(known) < 2 or all(table.name in named for table in tables):
        return
    if isinstance(level, exp.Select):
        known |= {each.alias for each in level.expressions}
    for node in nodes:
        if isinstance(node, exp.Column) and not (
            node.table
            or node.name in known
            or isinstance(node.this, exp.Star)
            or _is_assigned(node, level)
        ):
            yield node.name


def _own_nodes(level: exp.Expression) -> Iterator[exp.Expression]:
    """Without those of the queries within it."""
    left = list(level.iter_expressions())
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, QUERIES):
            left.extend(node.iter_expressions())


def _is_derived(node: exp.Expression) -> bool:
    return isinstance(node.parent, exp.From | exp.Join) and bool(node.alias)


def _is_assigned(column: exp.Expression, level: exp.Expression) -> bool:
    """On the left of `set`, where only the table's own columns stand."""
    side = column.parent if isinstance(column.parent, exp.Tuple) else column
    assignment = side.parent
    return (
        isinstance(level, exp.Update)
        and isinstance(assignment, exp.EQ)
        and assignment.parent is level
        and assignment.this is side
    )


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("select a.x, y from a join b on a.id = b.id", {"y"}),
        ("select x from a where exists (select from b where b.id = a.id)", set()),
        ("update a set x = y from b where a.id = b.id", {"y"}),
        ("with b as (select 1 as x) select x from b", set()),
        ("select a.x as place from a, b order by place", set()),
        ("select x from a for update of a", set()),
    ],
)
def test_what_is_found(statement: str, names: set[str]) -> None:
    assert unqualified(statement) == names


def test_no_further_statement_leaves_open_whose_a_column_is() -> None:
    found = {name for name, text in statements().items() if _leaves_open(text)}
    assert found == KNOWN


def _leaves_open(statement: str) -> bool:
    """False also for a part that is no statement without the others."""
    try:
        return bool(unqualified(statement))
    except ParseError:
        return False
