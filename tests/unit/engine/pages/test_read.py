"""The door: formats, limits and the closed set of refusals."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.pages.formats.sizes import MOST_TEXT_BYTES
from app.engine.pages.page import Page, PageUnreadable, Unreadable
from app.engine.pages.passages import split
from app.engine.pages.read import read

URL = "https://example.org/file"


def markdown(source: str) -> Page:
    return read(source.encode(), "text/markdown", None, URL)


def refusal(body: bytes, media_type: str) -> Unreadable:
    with pytest.raises(PageUnreadable) as caught:
        read(body, media_type, None, URL)
    return caught.value.reason


def test_an_unknown_media_type_is_refused() -> None:
    assert refusal(b"x", "image/png") is Unreadable.UNSUPPORTED_MEDIA_TYPE


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "text/markdown"])
def test_a_blank_document_is_empty(media_type: str) -> None:
    assert refusal(b" \n\xc2\xa0", media_type) is Unreadable.EMPTY


def test_a_document_above_five_mebibytes_is_too_large() -> None:
    assert refusal(b"x" * (MOST_TEXT_BYTES + 1), "text/html") is Unreadable.TOO_LARGE


@given(st.binary(max_size=300), st.sampled_from(["text/html", "text/plain", "text/markdown"]))
def test_any_bytes_give_a_page_or_the_one_exception(body: bytes, media_type: str) -> None:
    try:
        page = read(body, media_type, None, URL)
    except PageUnreadable:
        return
    assert "".join(page.text[p.start : p.end] for p in split(page)).split() != []


MARKDOWN = """---
title: "The Guide"
date: 2023-04-05
author: Ann
---
# Top

Soft
wrapped [link](other.md#x).

```sh
pip install x
  # indented
```

| a | b |
|---|---|
| 1 | 2 |

- one
- two

<script>alert(1)</script>
"""


def test_markdown_becomes_canonical_text() -> None:
    assert markdown(MARKDOWN).text == (
        "Top\n\nSoft wrapped link.\n\npip install x\n  # indented\n\na | b\n1 | 2\n\none\ntwo"
    )


def test_front_matter_describes_a_markdown_page() -> None:
    page = markdown(MARKDOWN)
    assert (page.title, page.author) == ("The Guide", "Ann")
    assert page.published_at == datetime(2023, 4, 5, tzinfo=UTC)
    assert page.published_source == "front-matter"


@pytest.mark.parametrize("value", ["", " >-\n  Owls\n  of the barn", " |\n  Owls"])
def test_a_field_of_front_matter_without_a_value_in_its_line_is_none(value: str) -> None:
    source = f"---\ntitle:{value}\nauthor: A. Adams\n---\n# Owls by night\n\nThey fly."
    page = markdown(source)
    assert (page.title, page.author) == ("Owls by night", "A. Adams")


def test_front_matter_may_name_a_language_with_its_region() -> None:
    source = "---\nlang: de-AT\n---\nDie Eule schläft."
    assert markdown(source).language == "de"


def test_no_level_of_a_list_in_markdown_is_lost() -> None:
    source = "".join(f"{'  ' * level}- Level {level}\n" for level in range(20))
    text = markdown(source).text
    assert text.split("\n") == [f"Level {level}" for level in range(20)]


def test_a_markdown_page_has_links_and_listings() -> None:
    page = markdown(MARKDOWN)
    assert page.links == ("https://example.org/other.md",)
    assert [page.text[start:end] for start, end in page.code] == ["pip install x\n  # indented"]


def test_text_between_two_rules_is_no_front_matter() -> None:
    page = markdown("---\n\nOwls hunt at night.\n\n---\n\nSo do cats.")
    assert page.text == "Owls hunt at night.\n\nSo do cats."


def test_without_front_matter_the_first_top_heading_is_the_title() -> None:
    assert markdown("## Sub\n\n# Top\n\nx").title == "Top"


def test_plain_text_at_a_markdown_address_is_markdown() -> None:
    assert read(b"# Top\n\nx", "text/plain", None, URL + ".md").text == "Top\n\nx"


def test_hard_wrapped_plain_text_is_joined_to_paragraphs() -> None:
    body = (
        b"Title\n\nThis paragraph was wrapped by hand at about seventy columns, as\n"
        b"mail and old manuals are, so that its sentences run over the line\nends.\n\n"
        b"- item one\n- item two\n\n    code  here\n"
    )
    page = read(body, "text/plain", None, URL)
    assert page.text == (
        "Title\n\nThis paragraph was wrapped by hand at about seventy columns, as mail and old "
        "manuals are, so that its sentences run over the line ends.\n\n- item one\n- item two\n\n"
        "    code  here"
    )
    assert page.title == "Title"


def test_underlined_lines_of_plain_text_are_headings() -> None:
    body = (
        b"=====\nOwls\n=====\n\nThey hunt.\n\nFood\n----\nMice:\n\nBig prey\n~~~~~~~~\n\n"
        b"Hares.\n\nSleep\n-----\n\nBy day.\n\nNo heading of such a length\n---\n"
    )
    page = read(body, "text/plain", None, URL)
    assert [(heading.level, heading.text) for heading in page.headings] == [
        (1, "Owls"), (2, "Food"), (3, "Big prey"), (2, "Sleep"),
    ]  # fmt: skip
    assert page.title == "Owls"
    assert "Food\n\nMice:" in page.text


def test_what_two_colons_announce_in_plain_text_is_a_listing() -> None:
    body = b"Run it::\n\n  owl --hunt\n\n  owl --rest\n\n.. note::\n\n   Owls sleep by day.\n"
    page = read(body, "text/plain", None, URL)
    assert [page.text[start:end] for start, end in page.code] == ["  owl --hunt", "  owl --rest"]


def test_short_lines_of_plain_text_stay_lines() -> None:
    body = b"Roses are red,\nViolets are blue,\n\n" + b"a longer line stands here, for comparison"
    assert read(body, "text/plain", None, URL).text.startswith("Roses are red,\nViolets are blue,")


GERMAN = "Die Datenbank speichert ihre Einstellungen in einer Datei, die beim Start gelesen wird. "


@pytest.mark.parametrize(
    ("text", "lang", "language"),
    [
        (GERMAN * 5, "", "de"),
        (GERMAN * 5, ' lang="en"', "de"),
        ("OK 1 2 3", "", None),
        ("Status OK", ' lang="fr-CA"', "fr"),
    ],
)
def test_the_language_is_detected_with_the_declaration_in_mind(
    text: str, lang: str, language: str | None
) -> None:
    markup = f"<html{lang}><body><p>{text}</p></body></html>"
    assert read(markup.encode(), "text/html", None, URL).language == language


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            '!!! warning "Danger"\n\n    This deletes files.\n\nAfter.',
            "Danger\n\nThis deletes files.",
        ),
        (
            "??? tip\n\n    Say\n\n    !!! note\n        More.\n\nAfter.",
            "Tip\n\nSay\n\nNote\n\nMore.",
        ),
        (
            '=== "Linux"\n\n    Run `a`.\n\n=== "Mac"\n\n    Run `b`.',
            "Linux\n\nRun a.\n\nMac\n\nRun b.",
        ),
        ("- Say\n\n    !!! note\n        More.\n\nAfter.", "Say\nNote\nMore."),
        (":::tip Faster\nUse it.\n:::\n\nAfter.", "Faster\n\nUse it."),
        ("::: {.note}\nUse it.\n:::\n\nAfter.", "Note\n\nUse it."),
        ("> [!WARNING]\n> Careful.\n\nAfter.", "Warning\n\nCareful."),
    ],
)
def test_a_box_of_a_generator_is_its_name_and_its_text(source: str, text: str) -> None:
    page = markdown(source)
    assert page.text.removesuffix("\n\nAfter.") == text
    assert page.code == ()


@pytest.mark.parametrize("box", ["!!! note", ":::tip", "> [!NOTE]", "## Name {#id}"])
@pytest.mark.parametrize("listing", ["```\n{}\n    more\n```", "    {}\n    more"])
def test_what_looks_like_a_box_in_a_listing_is_a_line_of_it(box: str, listing: str) -> None:
    page = markdown(listing.format(box))
    assert page.text.strip() == page.text[slice(*page.code[0])].strip()
    assert page.text.split() == [*box.split(), "more"]


def test_a_line_that_only_begins_like_a_box_is_text() -> None:
    page = markdown("!!! This is important\n\n=== and this")
    assert page.text == "!!! This is important\n\n=== and this"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("See [[Owls]] and [[owls/food|their food]].", "See Owls and their food."),
        ("Before ![[picture.png]] after.", "Before after."),
        ("`[[a]]` and x[[1]] and [[ -f x ]]", "[[a]] and x[[1]] and [[ -f x ]]"),
        ("One.\n\n{{< note >}}\nTwo.\n{{< /note >}}\n\n{% include x %}", "One.\n\nTwo."),
        ("[Press](#){ .md-button } ![](a.png){ width=300 }", "Press"),
        ("Owls hunt.[^a]\n\n[^a]:\n    At night.\n\nEnd.", "Owls hunt.[1]\n\nEnd.\n\n1. At night."),
    ],
)
def test_what_notebooks_and_generators_add_to_markdown_is_read(source: str, text: str) -> None:
    assert markdown(source).text == text


def test_a_term_in_markdown_names_its_definition() -> None:
    page = markdown("# Names\n\nOwl\n: A bird.\n\nCat\n: A beast.")
    assert page.text == "Names\n\nOwl\nA bird.\n\nCat\nA beast."
    assert [heading.text for heading in page.headings] == ["Names", "Owl", "Cat"]


def test_the_id_of_a_heading_is_no_part_of_it() -> None:
    page = markdown("# Install {#install}\n\nText {#kept}")
    assert page.text == "Install\n\nText {#kept}"
