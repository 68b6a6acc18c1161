"""Plain text as HTML, block by block."""

import re

import pytest
from markupsafe import Markup

from app.web.citations.text_blocks import html, visible

PAGE = """Owls

The barn owl hunts at night. It weighs between 250 and 480 grams.

They live
in barns
in towers

1. Look up.
2. Be quiet.

Species | Weight
Barn owl | 480 g
Little owl | 180 g

$ owls --count
4

$ owls --list

--count NUMBER
How many owls are counted at most.
"""


def shown(text: str) -> str:
    return str(html(text, 0, len(text), lambda a, b: visible(text[a:b])))


@pytest.fixture(scope="module")
def page() -> str:
    return shown(PAGE)


@pytest.mark.parametrize(
    "part",
    [
        "<h2>Owls</h2>",
        "<p>The barn owl hunts at night. It weighs between 250 and 480 grams.</p>",
        '<ul class="dots"><li>They live</li><li>in barns</li><li>in towers</li></ul>',
        '<ul class="own-signs"><li>1. Look up.</li><li>2. Be quiet.</li></ul>',
        '<tr><th scope="col">Species</th><th scope="col">Weight</th></tr>',
        "<tr><td>Barn owl</td><td>480 g</td></tr>",
        "<code>$ owls --count\n4\n\n$ owls --list</code></pre>",
        "<dl><dt>--count NUMBER</dt><dd>How many owls are counted at most.</dd></dl>",
    ],
)
def test_a_block_looks_like_what_it_is(page: str, part: str) -> None:
    assert part in page


def test_nothing_of_the_text_is_lost(page: str) -> None:
    words = re.sub(r"<[^>]+>|\s|\|", "", page)
    assert words == re.sub(r"\s|\|", "", PAGE)


def test_a_line_between_rows_spans_all_columns() -> None:
    assert '<td colspan="2">of 2024</td>' in shown("Owl | Weight\nof 2024\nBarn owl | 480 g")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<form action="https://evil.example/"><button>Go</button></form>',
        '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
        '<img src="https://evil.example/x.png" onerror="alert(1)">',
        "</pre></code><b>out</b>",
        '<base href="https://evil.example/">',
        "a | <iframe src=x>\nb | </td></table><h1>out",
    ],
)
def test_markup_in_a_text_stays_text(text: str) -> None:
    ours = set(
        re.findall("[a-z0-9]+", "div table thead tbody tr th td p ul li pre code h2 dl dt dd")
    )
    tags = set(re.findall(r"<([a-z0-9]+)[ >]", re.sub(r"</", "<", shown(text))))
    assert tags <= ours
    assert "evil" not in "".join(re.findall(r"<[^>]*>", shown(text)))


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\u202e", "\u2066", "\u200f", "\ufeff"])
def test_a_character_that_would_act_is_replaced_by_one_sign(sign: str) -> None:
    assert visible(f"a{sign}b") == Markup("a\N{REPLACEMENT CHARACTER}b")
