"""Controls among the text of a page are left out; what only looks like one stays."""

import pytest

from app.engine.pages.blocks.canonical import Block, BlockKind
from app.engine.pages.blocks.controls import without_controls
from app.engine.pages.formats.html import read_html

BEFORE, AFTER = (
    Block(BlockKind.PARAGRAPH, "Text before."),
    Block(BlockKind.PARAGRAPH, "Text after."),
)
CODE = Block(BlockKind.CODE, "make run")


def documented(body: str) -> str:
    return read_html(f'<div class="body" role="main">{body}</div>', "https://a.example/").text


def paragraph(text: str, linked: int = 0) -> Block:
    return Block(BlockKind.PARAGRAPH, text, linked=linked)


EDITS = ("Edit this page", "Edit on GitHub", "View page source", "Seite bearbeiten", "Top")
NEIGHBOURS = ("<-previousnext->", "« Previous | Home | Next »", "Contents")


@pytest.mark.parametrize(
    "block",
    [
        *map(paragraph, ("/", "|", "»", "· · ·", "…", "\ue80f/\ue80e")),
        *(paragraph(text, len(text)) for text in EDITS),
        *(paragraph(text, len(text) - 2) for text in NEIGHBOURS),
    ],
    ids=lambda block: block.text,
)
def test_separators_and_links_that_edit_or_lead_to_neighbours_are_left_out(block: Block) -> None:
    assert without_controls([BEFORE, block, AFTER]) == [BEFORE, AFTER]


@pytest.mark.parametrize(
    "blocks",
    [
        *([BEFORE, paragraph(sign), AFTER] for sign in ("%%", '"."', "-", "8", "€", "A")),
        [Block(BlockKind.TERM, "separator"), paragraph("/")],
        [Block(BlockKind.ITEM, "Separator:"), paragraph("/")],
        [Block(BlockKind.HEADING, "|"), AFTER],
        [Block(BlockKind.TERM, "|"), AFTER],
        [Block(BlockKind.ROW, "|"), AFTER],
        [Block(BlockKind.CODE, "|"), AFTER],
        [BEFORE, paragraph("Edit this page")],
        [BEFORE, paragraph("Edit the page table", linked=len("Edit the page table"))],
        [BEFORE, paragraph("The next page"), AFTER],
        [BEFORE, paragraph("Copy")],
    ],
)
def test_what_only_looks_like_a_control_stays(blocks: list[Block]) -> None:
    assert without_controls(blocks) == blocks


@pytest.mark.parametrize("text", ["Copy", "Copied!", "Copy to clipboard", "Kopieren"])
def test_the_copy_button_of_a_listing_is_left_out(text: str) -> None:
    button = Block(BlockKind.PARAGRAPH, text)
    assert without_controls([button, CODE]) == without_controls([CODE, button]) == [CODE]


def test_a_signature_loses_its_link_to_the_source() -> None:
    body = (
        '<dl><dt>f(x)<a href="_modules/f.html#f">[source]</a><a href="#f">¶</a></dt>'
        "<dd>Does it.</dd></dl>"
    )
    assert documented(body) == "f(x)\nDoes it."


@pytest.mark.parametrize("sign", ["↩", "↩\ufe0e", "↑", "^"])
def test_a_link_from_a_note_back_to_its_text_is_left_out(sign: str) -> None:
    body = f'<ol><li><p>A note. <a href="#ref1">{sign}</a></p></li></ol>'
    assert documented(body) == "1. A note."


def test_a_handle_of_an_invisible_sign_is_one() -> None:
    assert documented('<h2>Setup <a href="#s">\u200b</a></h2><p>Do.</p>') == "Setup\n\nDo."


def test_a_strip_of_tabs_is_left_out_of_documentation() -> None:
    body = '<ul role="tablist"><li role="tab">npm</li><li role="tab">Yarn</li></ul>'
    text = documented(f"<p>Run this in the folder:</p>{body}<pre>npm ci</pre>")
    assert text == "Run this in the folder:\n\nnpm ci"


def test_panels_stay_with_their_tabs() -> None:
    body = '<div role="tablist"><h4 role="tab">Who</h4><div role="tabpanel">All.</div></div>'
    assert documented(body) == "Who\n\nAll."


@pytest.mark.parametrize(("role", "is_read"), [("tabpanel", True), ("group", False)])
def test_a_panel_is_read_while_another_of_its_tabs_is_open(role: str, is_read: bool) -> None:
    panel = f'<div role="{role}" hidden><pre>yarn add owl</pre></div>'
    text = documented(f"<p>{'Run this in the folder of yours. ' * 9}</p>{panel}")
    assert ("yarn add owl" in text) is is_read


def test_links_to_the_pages_around_are_left_out() -> None:
    steps = '<p>Next: <a href="b.html">Options</a>, Previous: <a href="a.html">Usage</a></p>'
    assert documented(f"{steps}<p>Text.</p>") == "Text."


def test_a_sentence_with_such_words_stays() -> None:
    text = "Next: the options. Previous: the usage."
    assert documented(f"<p>{text}</p><p>Text.</p>") == f"{text}\n\nText."
