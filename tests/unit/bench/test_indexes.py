"""The index of a manual is read in the form of each program that writes one."""

import json
from pathlib import Path

import pytest

from bench.extract.sources.indexes import index_in, role_of

BOOK = """<book xmlns="http://www.devhelp.net/book"><functions>
<keyword type="function" name="moor_ship ()" link="moor.html#moor-ship"/>
<keyword type="signal" name="The “moored” signal" link="moor.html#moored"/></functions></book>"""
MEMBERS = json.dumps([{"p": "a.b", "c": "Ship", "l": "moor(int)"}])
ENTRIES = "".join(
    f'<td><a href="Moor.html#index-moor{n}"><code>moor{n}</code></a></td>' for n in range(10)
)
MADE = {
    "moor.devhelp2": (BOOK, "moor.html", {"c:function": {"moor_ship"}, "c:signal": {"moored"}}),
    "member-search-index.js": (
        f"memberSearchIndex = {MEMBERS};", "a/b/Ship.html", {"java:method": {"moor"}},
    ),
    "Option-Index.html": (
        f"<title>Option Index (Moor)</title>{ENTRIES}", "Moor.html",
        {"index:option": {f"moor{n}" for n in range(10)}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_objects_are_listed_by_page_and_role(name: str, tmp_path: Path) -> None:
    text, page, objects = MADE[name]
    (tmp_path / name).write_text(text)
    found = index_in(tmp_path)
    assert found is not None
    assert (found[0], found[1][page]) == (tmp_path, objects)


def test_parameters_are_not_what_a_manual_is_about() -> None:
    assert (
        role_of({"a.html": {"c:functionParam": {"a", "b"}, "c:function": {"moor"}}}) == "c:function"
    )
