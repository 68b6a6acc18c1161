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


@pytest.mark.parametrize("text", ["/", "|", "»", "· · ·", "…", "\ue80f/\ue80e"])
def test_a_block_of_separators_is_left_out(text: str) -> None:
    assert without_controls([BEFORE, Block(BlockKind.PARAGRAPH, text), AFTER]) == [BEFORE, AFTER]


@pytest.mark.parametrize("text", ["%%", '"."', "-", "8", "€", "A"])
def test_a_block_of_other_signs_stays(text: str) -> None:
    blocks = [BEFORE, Block(BlockKind.PARAGRAPH, text), AFTER]
    assert without_controls(blocks) == blocks


@pytest.mark.parametrize(
    "label", [Block(BlockKind.TERM, "separator"), Block(BlockKind.ITEM, "Separator:")]
)
def test_a_separator_that_is_the_value_of_a_label_stays(label: Block) -> None:
    blocks = [label, Block(BlockKind.PARAGRAPH, "/")]
    assert without_controls(blocks) == blocks


@pytest.mark.parametrize("kind", [BlockKind.HEADING, BlockKind.TERM, BlockKind.ROW, BlockKind.CODE])
def test_a_sign_with_a_form_of_its_own_stays(kind: BlockKind) -> None:
    assert without_controls([Block(kind, "|"), AFTER]) == [Block(kind, "|"), AFTER]


@pytest.mark.parametrize(
    "text", ["Edit this page", "Edit on GitHub", "View page source", "Seite bearbeiten", "Top"]
)
def test_a_link_that_edits_the_page_is_left_out(text: str) -> None:
    link = Block(BlockKind.PARAGRAPH, text, linked=len(text))
    assert without_controls([BEFORE, link]) == [BEFORE]


@pytest.mark.parametrize(
    "block",
    [
        Block(BlockKind.PARAGRAPH, "Edit this page"),
        Block(BlockKind.PARAGRAPH, "Edit the page table", linked=len("Edit the page table")),
    ],
)
def test_text_about_editing_stays(block: Block) -> None:
    assert without_controls([BEFORE, block]) == [BEFORE, block]


@pytest.mark.parametrize("text", ["Copy", "Copied!", "Copy to clipboard", "Kopieren"])
def test_the_copy_button_of_a_listing_is_left_out(text: str) -> None:
    button = Block(BlockKind.PARAGRAPH, text)
    assert without_controls([button, CODE]) == without_controls([CODE, button]) == [CODE]


def test_copy_away_from_listings_stays() -> None:
    blocks = [BEFORE, Block(BlockKind.PARAGRAPH, "Copy")]
    assert without_controls(blocks) == blocks


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


@pytest.mark.parametrize("text", ["<-previousnext->", "« Previous | Home | Next »", "Contents"])
def test_links_to_neighbouring_pages_are_left_out(text: str) -> None:
    link = Block(BlockKind.PARAGRAPH, text, linked=len(text) - 2)
    assert without_controls([BEFORE, link]) == [BEFORE]


def test_text_about_the_next_page_stays() -> None:
    blocks = [BEFORE, Block(BlockKind.PARAGRAPH, "The next page"), AFTER]
    assert without_controls(blocks) == blocks
