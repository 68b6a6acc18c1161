"""Whoever holds a connection borrows no second one.

Each place of a worker has one of each pool, and would wait for itself.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOORS = {"transaction", "reading", "single", "forgettable", "tenant"}
BORROWED = re.compile(rf"\bdb\.({'|'.join(DOORS)})\b")
OPEN = {"tx", "reader"}
"""The names of parameters that are open transactions."""
FILES = [
    file
    for package in ("app", "workers")
    for file in (ROOT / package).rglob("*.py")
    if not file.is_relative_to(ROOT / "app" / "core" / "db")
]


def _doors(node: ast.AST) -> Iterator[ast.Call]:
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="db"), attr=door)) if door in DOORS:
                yield each


def _nested(source: str) -> list[int]:
    """The lines on which a second connection is borrowed."""
    lines: list[int] = []
    if not BORROWED.search(source):  # most files borrow none, and are not parsed
        return lines
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and OPEN & {arg.arg for arg in node.args.args}:
            lines += [door.lineno for door in _doors(node)]
        if isinstance(node, ast.With):
            opened = [item.context_expr for item in node.items if any(_doors(item))]
            inside = [door for each in node.body for door in _doors(each)]
            lines += [door.lineno for door in [*opened[1:], *(inside if opened else ())]]
    return lines


def test_no_code_borrows_a_second_connection() -> None:
    nested = {str(file): lines for file in FILES if (lines := _nested(file.read_text()))}
    assert nested == {}


@pytest.mark.parametrize(
    "source",
    [
        "with db.reading() as reader:\n    with db.single() as tx: ...",
        "with db.reading() as reader, db.single() as tx: ...",
        "def keep(tx):\n    with db.single() as other: ...",
    ],
)
def test_it_would_be_seen(source: str) -> None:
    assert _nested(source)
