"""Entries of a reference: each begins a section with its name, which ends with it."""

import pytest

from app.engine.pages.formats.html import read_html
from app.engine.pages.page import Page
from app.engine.pages.passages import split

LONG = "It waits until the other side has said all that it has to say, " * 4 + "and then goes."
SHORT = "Shows all."
ANCHORED = '<a name="tunnel"></a><div class="keyword"><b>timeout tunnel</b></div>'


def read(body: str) -> Page:
    url = "https://docs.example.org/page.html"
    return read_html(f'<div class="body" role="main"><h1>Options</h1>{body}</div>', url)


def paths(body: str) -> list[tuple[str, ...]]:
    return [passage.heading_path for passage in split(read(body))]


def entry(name: str, meaning: str = LONG) -> str:
    return f"<dt>{name}</dt><dd><p>{meaning}</p></dd>"


def test_a_term_heads_what_it_means() -> None:
    body = f"<dl>{entry('--wait')}{entry('--go')}</dl>"
    assert paths(body)[-2:] == [("Options", "--wait"), ("Options", "--go")]


def test_text_behind_a_list_of_terms_is_not_of_the_last_one() -> None:
    assert paths(f"<dl>{entry('--wait')}</dl><p>{LONG}</p>")[-1] == ("Options",)


def test_a_line_with_an_anchor_heads_what_follows_it() -> None:
    assert paths(f"{ANCHORED}<p>{LONG}</p>{ANCHORED}<p>{LONG}</p>")[-2:] == [
        ("Options", "timeout tunnel"),
        ("Options", "timeout tunnel"),
    ]


def test_a_heading_ends_an_entry() -> None:
    assert paths(f"{ANCHORED}<p>{LONG}</p><h2>Files</h2><p>{LONG}</p>")[-1] == ("Options", "Files")


@pytest.mark.parametrize(
    "sentence", ['<p><a name="a"></a>This is a sentence.</p>', "<p>No anchor here</p>"]
)
def test_other_lines_head_nothing(sentence: str) -> None:
    assert paths(f"{sentence}<p>{LONG}</p>")[-1] == ("Options",)


def test_a_member_with_an_anchor_stands_below_its_class() -> None:
    member = f'<dl><dt id="Queue.get">get()</dt><dd><p>{LONG}</p></dd></dl>'
    body = f"<dl><dt>class Queue</dt><dd><p>{LONG}</p>{member}</dd></dl>"
    assert paths(body)[-1] == ("Options", "class Queue", "get()")


def test_the_fields_of_an_entry_are_no_entries() -> None:
    fields = "<dl><dt>Returns</dt><dd>A number.</dd></dl>"
    body = f"<dl><dt>size()</dt><dd><p>{LONG}</p>{fields}</dd></dl>"
    assert paths(body)[-1] == ("Options", "size()")


def test_short_entries_side_by_side_are_one_passage() -> None:
    assert paths(f"<dl>{entry('-a', SHORT)}{entry('-b', SHORT)}</dl>")[-1] == ("Options",)


def test_several_names_of_an_entry_are_one() -> None:
    body = f"<dl><dt>-n</dt><dt>--dry-run</dt><dd><p>{LONG}</p></dd></dl>"
    (option,) = [x for x in read(body).headings if x.end is not None]
    assert (option.level, option.text) == (7, "-n")


def test_a_heading_inside_an_entry_ends_with_it() -> None:
    inside = (
        f"<dl><dt>--wait</dt><dd><p>{LONG}</p><h4>Notes</h4><p>{LONG}</p></dd>{entry('--go')}</dl>"
    )
    assert paths(inside)[-2:] == [("Options", "--wait", "Notes"), ("Options", "--go")]


def test_an_entry_ends_where_its_text_does() -> None:
    page = read(f"<dl>{entry('--wait')}</dl><p>After.</p>")
    [option] = [x for x in page.headings if x.end is not None]
    assert page.text[option.start : option.end] == f"--wait\n{LONG}"


def test_a_line_of_code_above_an_indented_text_names_it() -> None:
    option = f"<p><code>{{}}</code></p><blockquote><div><p>{LONG}</p></div></blockquote>"
    assert paths(option.format("autostart") + option.format("user"))[-2:] == [
        ("Options", "autostart"),
        ("Options", "user"),
    ]


def test_an_item_of_a_list_is_no_entry() -> None:
    items = f"<ul><li><p><b>Linux</b></p><blockquote>{LONG}</blockquote></li></ul>"
    assert paths(f"<p>{LONG}</p>{items}")[-1] == ("Options",)


@pytest.mark.parametrize("line", ["<p>As he said</p>", "<p>The <code>user</code></p>"])
def test_other_lines_above_a_quotation_name_nothing(line: str) -> None:
    assert paths(f"{line}<blockquote>{LONG}</blockquote>")[-1] == ("Options",)


SIGNATURE = "<table><tr><td>{}</td><td>Type: integer</td><td>Default: 1</td></tr></table>"


def test_a_table_of_one_row_with_a_name_and_labels_names_an_entry() -> None:
    body = "".join(f"{SIGNATURE.format(name)}<p>{LONG}</p>" for name in ("width", "height"))
    assert paths(body)[-2:] == [("Options", "width"), ("Options", "height")]
    assert "width\nType: integer | Default: 1\n\n" in read(body).text


def test_a_row_of_other_cells_names_nothing() -> None:
    table = "<table><tr><td>width</td><td>integer</td></tr></table>"
    assert paths(f"{table}<p>{LONG}</p>")[-1] == ("Options",)


@pytest.mark.parametrize(
    "line",
    ["<b>Slow logins</b><br>", '<a name="slow"></a><strong><i>Why so slow?</i></strong><br>'],
)
def test_a_line_in_bold_that_a_break_parts_from_its_paragraph_heads_it(line: str) -> None:
    assert paths(f"<p>{LONG}</p><p>{line}{LONG}</p><p>{LONG}</p>")[1][1:] in (
        ("Slow logins",),
        ("Why so slow?",),
    )


def test_a_line_in_bold_that_stands_alone_heads_where_others_do() -> None:
    alone = f"<p><b>Questions</b></p><p>{LONG}</p>"
    assert paths(f"<p><b>Files</b><br>{LONG}</p>{alone}")[-1] == ("Options", "Questions")
    assert paths(alone)[-1] == ("Options",)


@pytest.mark.parametrize(
    "paragraph",
    [
        "<p><b>Ann Bell</b><br>Baker</p>",
        f"<p><b>Do this first.</b><br>{LONG}</p>",
        f"<p><b>Slow</b> is this<br>{LONG}</p>",
        f"<p>How <b>slow</b><br>{LONG}</p>",
        f"<ul><li><p><b>Slow</b><br>{LONG}</p></li></ul>",
    ],
    ids=["address", "sentence", "before", "after", "item"],
)
def test_other_words_in_bold_head_nothing(paragraph: str) -> None:
    assert set(paths(paragraph)) == {("Options",)}
