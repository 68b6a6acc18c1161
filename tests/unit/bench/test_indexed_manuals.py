"""The truth of a manual is read from its index, and names are counted by page."""

import zlib

from app.engine.extraction.records.records import assemble
from app.engine.extraction.schema.schema import plan
from bench.extract.indexed_manuals import ManualPage, Tally, all_names, bare, count, readings_of
from bench.extract.sources.indexes import index_of

LINES = "a.join py:function 1 a.html#$ -\na.Tree py:class 1 a.html#$ -\nintro std:doc -1 b.html -\n"
INVENTORY = b"# Sphinx inventory version 2\n# Project: a\n# Version: 1\n# zlib\n" + zlib.compress(
    LINES.encode()
)
ENTRIES = "".join(
    f"<dl><dt>a.{name}(some)</dt><dd><p>Does {name} with some of the others.</p></dd></dl>"
    for name in ("join", "split", "Tree")
)


def test_an_index_lists_objects_by_page_and_role() -> None:
    index = index_of(INVENTORY)
    assert index == {"a.html": {"py:function": {"a.join"}, "py:class": {"a.Tree"}}}


def test_names_of_the_role_are_right_and_other_objects_count_neither_way() -> None:
    tally = counted({"py:function": {"a.join", "a.cut"}, "py:class": {"a.Tree"}})
    assert (tally.right, tally.wrong, tally.missing) == (1, 1, 1)


def test_a_page_without_objects_should_have_no_record() -> None:
    tally = counted({})
    assert (tally.empty_pages, tally.wrongly_read) == (1, 1)


def test_a_name_with_a_prefix_of_rdf_is_right_with_and_without_it() -> None:
    assert {bare("nfo:width"), bare("width: a number")} <= all_names({"nfo:width"})


def counted(objects: dict[str, set[str]]) -> Tally:
    """A page with these objects, read by itself."""
    markup = f"<title>Functions of a</title><h1>Functions of a</h1>{ENTRIES}"
    page, tally = ManualPage("a.html", markup, "py:function", objects), Tally()
    wanted = plan(page.schema)
    count(tally, page, assemble(wanted, readings_of(page, wanted), None))
    return tally
