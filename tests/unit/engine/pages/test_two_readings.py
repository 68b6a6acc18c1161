"""A full and a careful reading of one page: which blocks stay."""

from dataclasses import replace

from app.engine.pages.blocks.canonical import Block, BlockKind
from app.engine.pages.formats.html import read_html
from app.engine.pages.main_text.two_readings import reconcile


def paragraph(n: int, linked: int = 0) -> Block:
    text = f"Paragraph number {n} of the document, which both readings have in full."
    return Block(BlockKind.PARAGRAPH, text, linked=linked)


def heading(text: str, level: int = 2, linked: int = 0) -> Block:
    return Block(BlockKind.HEADING, text, level, linked=linked)


FIRST, LAST = paragraph(1), paragraph(9)


def test_a_heading_that_is_all_link_stays_over_its_text() -> None:
    linked, text = heading("Setting one", linked=11), paragraph(2)
    assert reconcile([FIRST, linked, text, LAST], [FIRST, text, LAST]) == [
        FIRST, linked, text, LAST,
    ]  # fmt: skip


def test_a_heading_over_a_heading_of_lower_rank_stays() -> None:
    above, below = heading("Settings", 2, 8), heading("Setting one", 3, 11)
    blocks = [FIRST, above, below, LAST]
    assert reconcile(blocks, [FIRST, LAST]) == blocks


def test_a_heading_under_which_nothing_is_left_goes() -> None:
    linked, menu = heading("Related", linked=7), paragraph(2, linked=70)
    below = heading("Setting one")
    assert reconcile([FIRST, linked, menu, below, LAST], [FIRST, below, LAST]) == [
        FIRST, below, LAST,
    ]  # fmt: skip


def test_items_agree_whatever_numbers_stand_before_them() -> None:
    ours = [
        heading("Release"),
        *(Block(BlockKind.ITEM, f"{n}. Change {n} of it.") for n in range(1, 9)),
    ]
    theirs = [Block(BlockKind.ITEM, f"Change {n} of it.") for n in range(1, 9)]
    assert reconcile(ours, theirs) == ours


def test_nothing_is_left_out_where_headings_have_handles() -> None:
    prose = "A paragraph of the page itself, long enough to be taken for prose by anybody. " * 3
    sections = "".join(
        f'<h3><a href="#s{n}">¶</a>Setting {n}</h3><p><a href="/s{n}">Default {n}</a></p>'
        for n in range(4)
    )
    text = read_html(
        f"<main><h1>Settings</h1><p>{prose}</p>{sections}<h2>After</h2><p>{prose}</p></main>",
        "https://a.example/",
    ).text
    assert all(f"Setting {n}\n\nDefault {n}" in text for n in range(4))


def test_a_section_that_begins_with_loose_text_keeps_that_and_its_heading() -> None:
    loose = Block(BlockKind.PARAGRAPH, "Syntax:")
    menu = Block(BlockKind.PARAGRAPH, "Skip to the text")
    blocks = [menu, heading("Files", 1), heading("CSV"), loose, FIRST, LAST]
    assert reconcile(blocks, [FIRST, LAST]) == blocks[1:]


def test_what_stands_far_above_the_text_is_left_out_with_its_heading() -> None:
    banner = [Block(BlockKind.PARAGRAPH, f"Offer {n}") for n in range(4)]
    blocks = [heading("Shop"), *banner, FIRST, LAST]
    assert reconcile(blocks, [FIRST, LAST]) == [FIRST, LAST]


def test_the_same_words_in_another_order_are_read_as_they_stand() -> None:
    texts = [f"The setting {n} takes a number of seconds from 1 to {n}0." for n in range(1, 6)]
    ours = [Block(BlockKind.PARAGRAPH, text) for text in texts]
    jumbled = [Block(BlockKind.PARAGRAPH, " ".join(sorted(" ".join(texts).split())))]
    assert reconcile(ours, jumbled) == ours


def test_sections_of_lists_at_the_end_of_a_plain_page_stay() -> None:
    prose = "The barn owl hunts voles over wet meadows and along the edge of woods at night. " * 4
    page = read_html(
        f"<html><body><h1>Owls</h1><h2>Food</h2><p>{prose}</p><h2>Done</h2><ul><li>Boxes hung in"
        "</ul><h2>To do</h2><ol><li>Count eggs<li>Ring owlets</ol></body></html>",
        "https://owls.example/",
    )
    assert page.text.endswith("Done\n\nBoxes hung in\n\nTo do\n\n1. Count eggs\n2. Ring owlets")


def test_lists_below_a_plain_page_under_headings_of_their_own_go() -> None:
    below, item = heading("Contact", 4), Block(BlockKind.ITEM, "12 Owl Street", group=1)
    blocks = [heading("Food"), FIRST, LAST]
    assert reconcile([*blocks, below, item], [FIRST, LAST]) == blocks


def test_a_list_that_the_last_paragraph_announces_stays() -> None:
    announced, item = replace(LAST, text=f"{LAST.text}:"), Block(BlockKind.ITEM, "Mice", group=1)
    assert reconcile([FIRST, announced, item], [FIRST, announced]) == [FIRST, announced, item]
    assert reconcile([FIRST, LAST, item], [FIRST, LAST]) == [FIRST, LAST]
