"""How stored text is shown: tables, listings, and nothing that fakes a marker or a fence."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.answer.blocks.rendering import rendered, without_note_marks


def show(text: str) -> str:
    return rendered(text, 0, len(text))


def test_rows_are_shown_as_column_and_value() -> None:
    text = "port | server\n5432 | postgres\n6379 | redis"
    assert show(text) == "port: 5432; server: postgres\nport: 6379; server: redis"


def test_a_row_takes_its_columns_from_a_header_above_the_slice() -> None:
    text = "port | server\n5432 | postgres\n6379 | redis"
    assert rendered(text, text.index("6379"), len(text)) == "port: 6379; server: redis"


def test_a_label_is_shown_with_its_value() -> None:
    assert show("Syntax: | Links number\nDefault: | 5") == "Syntax: Links number\nDefault: 5"


def test_a_note_that_a_page_frames_is_shown_as_one() -> None:
    assert show("Note | Ports are numbers.") == "Note: Ports are numbers."


def test_a_listing_is_fenced_and_keeps_its_indentation() -> None:
    text = "To loop:\n\nfor x in y:\n    print(x)\n\n    print(y)\n\nThat is all."
    assert show(text) == (
        "To loop:\n\n```\nfor x in y:\n    print(x)\n\n    print(y)\n```\n\nThat is all."
    )


@pytest.mark.parametrize(
    "code",
    ["@login_required\ndef my_view(request):\n    ...", "...\\> py manage.py startapp world"],
)
def test_dots_that_stand_for_code_are_part_of_the_listing(code: str) -> None:
    assert show(code) == f"```\n{code}\n```"


def test_a_pattern_at_the_end_of_a_listing_is_no_sentence() -> None:
    code = "  <Directory />\n    HideFiles ^\\."
    assert show(code) == f"```\n{code}\n```"


def test_a_pipe_between_indented_commands_is_no_table() -> None:
    text = "    postqueue -j\n    | select(.a == 1)\n    | sort | uniq"
    assert show(text) == f"```\n{text}\n```"


@pytest.mark.parametrize(
    "code",
    ["SELECT name FROM schema\nWHERE type IN ('t')\nORDER BY 1", "INSERT INTO t VALUES (1);"],
)
def test_statements_of_sql_are_a_listing(code: str) -> None:
    assert rendered(code, 0, len(code)) == f"```\n{code}\n```"


def test_a_sentence_that_begins_with_a_keyword_is_none() -> None:
    text = "SELECT statements read rows;\nthey change nothing."
    assert rendered(text, 0, len(text)) == text


def test_indented_lines_that_were_wrapped_are_joined() -> None:
    text = (
        "       size_limit (10240000)\n"
        "              The  maximal  size  in  bytes  of a message, including non-\n"
        "              visible information. What is larger is sent back, and the\n"
        "              sender hears of it."
    )
    assert rendered(text, 0, len(text)) == (
        "size_limit (10240000)\nThe maximal size in bytes of a message, including non-visible "
        "information. What is larger is sent back, and the sender hears of it."
    )


def test_a_term_is_not_joined_with_what_is_wrapped_under_it() -> None:
    text = (
        "  disk_limit (100)\n"
        "     The number of files that may be open on a disk, all of them\n"
        "     together."
    )
    assert rendered(text, 0, len(text)).startswith("disk_limit (100)\nThe number of files")
    assert rendered(text, 0, len(text)).endswith("all of them together.")


def test_a_term_stays_above_its_one_line() -> None:
    text = "a_rather_long_name_of_a_setting (btree:$data_directory/cache)\n        Where it is."
    assert rendered(text, 0, len(text)) == text.replace("        ", "")


def test_lines_that_were_not_wrapped_stay_apart() -> None:
    text = "Ways to send a message to somebody far away from you,\n  by mail,\n  or by fax to them."
    assert rendered(text, 0, len(text)) == text


def test_a_fence_is_longer_than_any_in_the_listing() -> None:
    assert show("````\nx = 1;\n````").startswith("`````\n````\n")


def test_a_fence_in_prose_cannot_open_one() -> None:
    text = "Read this.\n\n```sh and all of this"
    assert show(text) == "Read this.\n\n````\n```sh and all of this\n````"


@pytest.mark.parametrize("scrap", ["[source]", "/", "¶"])
def test_what_a_page_sets_beside_its_text_is_left_out(scrap: str) -> None:
    assert show(f"One sentence.\n\n{scrap}\n\nAnother one.") == "One sentence.\n\nAnother one."


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("In 1998.[3]", "In 1998."),
        ("In 1998 [3][4] it was.", "In 1998 it was."),
        ("x = argv[1];", "x = argv[ 1 ];"),
        ("x = grid[1][2];", "x = grid[ 1 ][ 2 ];"),
        ("The first is grid[0][1].", "The first is grid[ 0 ][ 1 ]."),
        ("The first is argv[0].", "The first is argv[ 0 ]."),
        ("See [the note].", "See [the note]."),
    ],
)
def test_nothing_in_a_sentence_reads_as_our_marker(sentence: str, shown: str) -> None:
    assert without_note_marks(sentence) == shown


PARTS = (
    "x[1]", "[2]", "[[3]", "4]]", "```", "~~~", "``````", "a | b", "- i", "f(x);", "\n", "\n\n",
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=25).map(" ".join))
def test_no_text_fakes_a_marker_or_leaves_a_fence_open(text: str) -> None:
    shown = show(text)
    assert not re.search(r"\[\d+\]", shown)
    open_fence = ""
    for line in shown.split("\n"):
        fence = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence and not open_fence:
            open_fence = fence[1]
        elif fence and line.strip() == fence[1] and fence[1].startswith(open_fence):
            open_fence = ""
    assert open_fence == ""
