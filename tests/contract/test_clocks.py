"""No test fails because a machine is slow: none holds a clock's difference below a number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "time"}
CALLED = re.compile(rf"\.({'|'.join(CLOCKS)})\(")


def bounds(text: str) -> Iterator[int]:
    """The lines of such assertions."""
    if not CALLED.search(text):  # most files name no clock, and are not parsed
        return
    asserted = [x.test for x in ast.walk(ast.parse(text)) if isinstance(x, ast.Assert)]
    for node in (node for test in asserted for node in ast.walk(test)):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE):
            parts = list(ast.walk(node.left))
            calls = [x.func for x in parts if isinstance(x, ast.Call)]
            clocks = [x for x in calls if isinstance(x, ast.Attribute) and x.attr in CLOCKS]
            if clocks and any(isinstance(x, ast.Sub) for x in parts):
                yield node.lineno


def test_such_an_assertion_is_found() -> None:
    assert list(bounds("began = time.monotonic()\nassert time.monotonic() - began < 2")) == [2]


def test_no_test_has_one() -> None:
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "client/tests").rglob("test_*.py")]
    assert [f"{file}:{line}" for file in files for line in bounds(file.read_text())] == []
