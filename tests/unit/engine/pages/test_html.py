"""HTML: the main text complete, the furniture gone, links to follow, hostile pages survived."""

import pytest

from app.engine.pages.formats.html import read_html
from app.engine.pages.page import Page, PageUnreadable

URL = "https://docs.example.org/guide/page.html"
SENTENCE = "A paragraph of the document itself, long enough to be taken for prose by anybody. "


def read(body: str, head: str = "") -> Page:
    return read_html(f"<html><head>{head}</head><body>{body}</body></html>", URL)


def documented(body: str) -> str:
    return read(f'<div class="body" role="main">{body}</div>').text


def test_a_tag_that_was_to_be_text_hides_no_sentence() -> None:
    assert documented("<p>The <select> element lists owls.").endswith("element lists owls.")


def test_the_choices_of_a_list_are_no_text() -> None:
    body = "<p>Choose <select><option>barn owl</select> here.</p>"
    assert documented(body) == "Choose here."


def test_a_listing_is_kept_to_the_letter() -> None:
    code = "def f(x):\n    if x:\n\n        return 1"
    assert documented(f"<p>See:</p><pre>{code}</pre><p>Done.</p>") == f"See:\n\n{code}\n\nDone."


@pytest.mark.parametrize(
    "body",
    [
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        '<td class="code"><pre><span class="k">a</span> = 1\nb = 2</pre></td></tr></table>',
        "<table><tr><td><pre>\n15\n16</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>",
        '<table><tr><td class="linenumber">1</td><td>a = 1</td></tr>'
        '<tr><td class="linenumber">2</td><td>b = 2</td></tr></table>',
        '<pre><span class="source-line-no">001</span>a = 1\n'
        '<span class="source-line-no">002</span>b = 2</pre>',
        '<pre class="line-numbers">a = 1\nb = 2</pre>',
    ],
)
def test_a_listing_loses_its_line_numbers(body: str) -> None:
    assert documented(body) == "a = 1\nb = 2"


LAYOUTS = {
    "numbers that do not count the lines beside them stay": (
        "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>seq 3</pre></td></tr></table>",
        "1\n2\n3\n\nseq 3",
    ),
    "a list has one item a line": (
        "<ul><li>One</li><li><p>Two</p><ul><li>Inner</li></ul></li></ul><p>After</p>",
        "One\nTwo\nInner\n\nAfter",
    ),
    "ordered items keep their numbers": (
        '<ol start="3"><li>Go</li><li>Stop</li></ol>',
        "3. Go\n4. Stop",
    ),
    "a table has one row a line": (
        "<table><tr><th>Name</th><th>Use</th><tr><td>a</td><td><p>b</p><p>c</p></td></table>",
        "Name | Use\na | b c",
    ),
    "rows of a name and its value stand apart": (
        "<table><tr><th>Species</th><td>Barn owl<tr><th>Nests</th><td>many</table>",
        "Species | Barn owl\n\nNests | many",
    ),
    "a table that arranges the page is no table": (
        "<table><tr><td><h2>Left</h2><p>One.</p></td><td><p>Two.</p></td></tr></table>",
        "Left\n\nOne.\n\nTwo.",
    ),
    "a term stands on the line before its definition": (
        "<dl><dt>--all</dt><dd><p>Shows all.</p><p>Slow.</p></dd></dl>",
        "--all\nShows all.\n\nSlow.",
    ),
    "a line break ends a line, and two a paragraph": ("<p>a<br>b<br><br>c</p>", "a\nb\n\nc"),
    "spaces between inline elements stay as written": (
        "<p><b>bold</b>ly <code>go</code>\n\n  on</p>",
        "boldly go on",
    ),
}


@pytest.mark.parametrize(("markup", "text"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_document_is_laid_out(markup: str, text: str) -> None:
    assert documented(markup) == text


def test_a_short_page_keeps_its_headings_and_paragraphs() -> None:
    assert read("<h1>Owls</h1><p>They hunt.</p><p>At night.</p>").text == (
        "Owls\n\nThey hunt.\n\nAt night."
    )


def test_a_cell_that_spans_columns_is_one_cell() -> None:
    markup = "<table>" + "<tr><td colspan=9 rowspan=3>Owls</td><td>Eggs</td></tr>" * 2 + "</table>"
    assert read(markup).text == "Owls | Eggs\nOwls | Eggs"


def test_a_cell_that_spans_rows_stands_in_each() -> None:
    table = (
        "<tr><th>Option</th><th>Value</th><th>For</th></tr>"
        "<tr><td rowspan='2'>port</td><td>80</td><td rowspan=3>web</td></tr>"
        "<tr><td>443</td></tr><tr><td>host</td><td>any</td></tr><tr><td>x</td><td>1</td></tr>"
    )
    assert documented(f"<table>{table}</table>").split("\n") == [
        "Option | Value | For", "port | 80 | web", "port | 443 | web", "host | any | web", "x | 1",
    ]  # fmt: skip


def test_spans_without_end_do_not_multiply_a_table() -> None:
    row = f"<tr>{'<td rowspan=99>cell</td>' * 30}</tr>"
    assert len(documented(f"<table>{row * 60}</table>")) < 2 * 60 * 30 * len("cell | ")


def test_headings_keep_level_and_place_without_the_pilcrow() -> None:
    page = read(
        '<div role="main" class="body"><p>Intro.</p>'
        '<h2>Use<a class="headerlink" href="#use">¶</a></h2><p>Text.</p></div>'
    )
    assert [(h.start, h.level, h.text) for h in page.headings] == [(8, 2, "Use")]


def test_the_title_of_a_note_is_no_heading() -> None:
    page = read('<div role="main" class="body"><div class="note"><h3>Note</h3><p>x</p></div></div>')
    assert page.headings == ()


@pytest.mark.parametrize(
    "chrome",
    [
        "<nav>FURNITURE</nav>",
        "<header>FURNITURE</header>",
        "<footer>FURNITURE</footer>",
        "<aside>FURNITURE</aside>",
        '<div role="navigation">FURNITURE</div>',
        '<div class="sphinxsidebar">FURNITURE</div>',
        '<div class="cookie-banner">FURNITURE</div>',
        '<div style="display: none">FURNITURE</div>',
        "<div hidden>FURNITURE</div>",
        "<script>FURNITURE</script>",
        "<noscript>FURNITURE</noscript>",
        '<div class="main-menu"><a href="/">FURNITURE</a></div>',
    ],
)
def test_furniture_is_dropped(chrome: str) -> None:
    page = read(f"<h1>Title</h1>{chrome}<p>{SENTENCE * 5}</p>{chrome}")
    assert page.text == f"Title\n\n{(SENTENCE * 5).strip()}"


@pytest.mark.parametrize(
    "part",
    [
        '<h2><a class="toc-backref" href="#id1">Heard</a></h2>',
        '<section id="sharing-state"><p>Heard</p></section>',
        '<aside class="footnote"><p>Heard</p></aside>',
        '<h2 id="share-your-work">Heard</h2>',
    ],
)
def test_what_only_looks_like_furniture_stays_in_documentation(part: str) -> None:
    assert documented(f"<p>First.</p>{part}<p>Last.</p>") == "First.\n\nHeard\n\nLast."


def test_text_inside_an_unclosed_menu_survives() -> None:
    assert SENTENCE.strip() in read(f'<nav class="menu"><a href="/">Home</a><p>{SENTENCE * 5}').text


def test_an_article_keeps_its_listing_among_the_furniture_of_a_blog() -> None:
    links = "".join(f'<li><a href="/{n}">Another story number {n}</a></li>' for n in range(30))
    page = read(
        f"<div><ul>{links}</ul></div><div id='post'><h1>Story</h1><p>{SENTENCE * 4}</p>"
        f"<pre>x = 1\ny = 2</pre><p>{SENTENCE * 4}</p></div><div><ul>{links}</ul></div>"
    )
    assert "\n\nx = 1\ny = 2\n\n" in page.text
    assert "Another story" not in page.text


def test_the_ratio_is_main_text_to_all_visible_text() -> None:
    page = read(f"<nav>{'x' * 100}</nav><main><p>{'y' * 300}</p></main>")
    assert page.main_text_ratio == 0.75


def test_the_hash_is_that_of_the_text() -> None:
    assert read("<p>abc</p>").content_hash == (
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


def test_links_are_absolute_once_and_without_fragment() -> None:
    page = read(
        "<p>x <a href='a.html#s'>a</a> <a href='a.html'>b</a> <a href='//other.example'>c</a>"
        " <a href='HTTP://Example.ORG:80/A b'>d</a> <a href='mailto:x@y'>e</a> <a href='#top'>f</a>"
        " <a href='javascript:alert(1)'>g</a> <a rel=nofollow href='/no'>h</a>"
        " <a href='https://u:p@h.example/'>i</a> <a href='http://[bad'>j</a></p>"
    )
    assert page.links == (
        "https://docs.example.org/guide/a.html",
        "https://other.example/",
        "http://example.org/A%20b",
        URL,
    )


def test_the_base_element_moves_relative_links() -> None:
    page = read("<p>x <a href='b'>b</a></p>", '<base href="/other/">')
    assert page.links == ("https://docs.example.org/other/b",)


@pytest.mark.parametrize("markup", ["", "<html></html>", "<script>x</script>", "<!-- x -->"])
def test_a_page_without_text_is_empty(markup: str) -> None:
    with pytest.raises(PageUnreadable, match="empty"):
        read_html(markup, URL)


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    "hostile",
    [
        "<div>" * 100_000,
        "<table><tr><td>" * 50_000,
        f'<p class="{"nav " * 200_000}">x</p>',
        f'<p style="{"display :" * 100_000}">x</p>',
        "<" * 500_000,
        '<script type="application/ld+json">' + "[" * 200_000 + "</script>",
        "<h1>x</h1>" * 20_000,
        "<title>" + "a - " * 200_000 + "</title>",
        '<!DOCTYPE x [<!ENTITY a "xx"><!ENTITY b "&a;&a;&a;&a;">]><p>&b;</p>',
        "\x00\ufffe\x1b<p>\x00</p>",
    ],
)
def test_a_hostile_page_still_gives_its_text(hostile: str) -> None:
    assert "The real text." in read_html(f"<p>The real text.</p>{hostile}", URL).text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("2<sup>10</sup> bytes", "2¹⁰ bytes"),
        ("10<sup>-3</sup> m", "10⁻³ m"),
        ('Owls nest.<sup><a href="#n1">1</a></sup>', "Owls nest.[1]"),
        ("the 1<sup>st</sup> egg", "the 1st egg"),
    ],
)
def test_what_is_raised_is_not_read_as_part_of_the_number(markup: str, text: str) -> None:
    assert documented(f"<p>{markup}</p>") == text


@pytest.mark.parametrize(
    "frame",
    [
        "<footer>Copyright 2023, Ann. <p>Built with a tool.</p></footer>",
        "<div role='contentinfo'>Copyright 2023, Ann.</div>",
        "<div class='footer-relations'><a href='/a'>Usage</a></div>",
        "<p class='copyright'>Copyright 2023, Ann</p>",
        "<div id='footer'><div id='footer-text'>Last updated 2023-07-29</div></div>",
    ],
)
def test_the_frame_that_a_generator_puts_into_its_document_is_left_out(frame: str) -> None:
    page = read(f"<div class='rst-content'><h1>Usage</h1><p>{SENTENCE * 3}</p>{frame}</div>")
    assert page.text == f"Usage\n\n{SENTENCE * 3}".strip()


def test_the_author_under_a_quotation_stays() -> None:
    quote = "<blockquote>Less is more.<footer>Mies</footer></blockquote>"
    assert read(f"<div class='rst-content'><h1>A</h1>{quote}</div>").text.endswith("Mies")


def test_the_menus_around_the_sections_of_a_manual_are_left_out() -> None:
    generator = "<meta name='generator' content='Docutils 0.19'>"
    section = f"<section id='use'><h1>Use</h1><p>{SENTENCE * 3}</p></section>"
    side = "<div class='side'><h2>On this page</h2><p>Search and contents.</p></div>"
    page = read(f"{generator}<div><div>{section}</div>{side}</div>")
    assert "On this page" not in page.text


def test_the_name_of_an_author_heads_nothing() -> None:
    page = read("<div class='rst-content'><h1>A</h1><h3 class='author'>Ann</h3><p>Text.</p></div>")
    assert [heading.text for heading in page.headings] == ["A"]


def test_a_reference_of_doxygen_keeps_its_functions_and_what_they_take() -> None:
    page = read_html(
        """<head><meta name="generator" content="Doxygen 1.9.4"><title>Buffers</title></head>
        <div class="header"><a href="#func">Functions</a></div><div class="contents">
        <table class="memberdecls"><tr class="heading"><td colspan="2"><h2>Functions</h2></td></tr>
        <tr><td>int</td><td><a href="#ga1">grow</a> (struct buf *b)</td></tr>
        <tr><td>&#160;</td><td>Make room.  <a href="#ga1">More...</a></td></tr></table>
        <h2 class="memtitle"><a href="#ga1">&#9670;&nbsp;</a>grow()</h2>
        <table class="memname"><tr><td>int grow </td><td>(</td><td>struct buf *&#160;</td>
        <td><em>b</em></td><td>)</td><td></td></tr></table><p>Make room for more.</p></div>""",
        "http://h/",
    )
    assert page.text == (
        "Functions\n\nint grow (struct buf *b)\nMake room.\n\n"
        "grow()\n\nint grow ( struct buf * b )\n\nMake room for more."
    )
    assert [heading.text for heading in page.headings] == ["Functions", "grow()"]


def test_columns_that_only_set_space_are_left_out() -> None:
    row = "<tr><td></td><td>{}</td><td></td><td>{}</td><td></td></tr>"
    assert documented(
        f"<table>{row.format('-v', 'Verbose.')}{row.format('-q', 'Quiet.')}</table>"
    ) == ("-v | Verbose.\n-q | Quiet.")


def test_a_bar_within_a_cell_parts_no_cells() -> None:
    table = "<table><tr><th>Value</th><th>Use</th></tr><tr><td>on | off</td><td>a | b</td></tr>"
    assert documented(f"{table}</table>").endswith("\non|off | a|b")


def test_the_links_around_the_text_of_a_wiki_are_left_out() -> None:
    page = read(
        f"""<div class="mw-body" role="main"><div class="noprint">From Foo</div>
        <p>{SENTENCE * 3}</p><div class="navbox">Backups: <a href="/x">all</a></div>
        <div class="printfooter">Retrieved from "x"</div><div class="catlinks">All</div></div>"""
    )
    assert page.text == (SENTENCE * 3).strip()
