"""Listing pages made up with their records: twelve layouts, four kinds of records, noise around.

Half of the layouts is "fit" (looked at while the rules were made), the other half "judged".
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

Record = dict[str, Any]
Row = tuple[str, str, str]  # the property, how the page writes it, its class


@dataclass(frozen=True, slots=True)
class Listing:
    layout: str
    kind: str
    markup: str
    url: str
    schema: dict[str, Any]
    records: list[Record]


@dataclass(frozen=True, slots=True)
class Kind:
    """Records of one kind: their schema, how one is made, and what a page calls its properties."""

    schema: dict[str, Any]
    make: Callable[[random.Random, int], tuple[Record, dict[str, str]]]
    headers: dict[str, str]
    classes: dict[str, str]


def _each(text: str) -> list[str]:
    return text.split()


_ADJECTIVES = _each("Blue Quiet Rapid Golden Nordic Solar Little Grand Hidden Crisp Velvet Iron")
_NOUNS = _each(
    "Lamp Kettle Bicycle Backpack Speaker Notebook Chair Drill Tent Mirror Blanket Radio"
)
_FIRST = _each("Ada Ben Chloe Dmitri Elena Farid Greta Hugo Ines Jonas Keiko Lars Mina Nadia Omar")
_LAST = _each("Abel Berg Costa Dahl Evans Fischer Garcia Haas Ito Jensen Kaya Lopez Moreau Novak")
_TOWNS = _each("Lisbon Ghent Porto Graz Turku Leeds Lyon Bergen Krakow Bilbao Aarhus Tartu")
_WORDS = _each(
    "light sturdy for every day use with a soft grip made from wood and steel easy to clean "
    "keeps its shape fits small rooms quiet at night warm in winter comes with two parts"
)
_MONTHS = _each("January February March April May June July August September October")


def _sentence(chance: random.Random, least: int = 8, most: int = 18) -> str:
    text = " ".join(chance.choices(_WORDS, k=chance.randint(least, most)))
    return f"{text.capitalize()}."


def _product(chance: random.Random, n: int) -> tuple[Record, dict[str, str]]:
    name = f"{chance.choice(_ADJECTIVES)} {chance.choice(_NOUNS)} {chance.randint(10, 990)}"
    price = chance.randint(300, 90_000) / 100
    url = f"/items/{n}-{name.lower().replace(' ', '-')}"
    text = _sentence(chance)
    return (
        {"name": name, "price": price, "url": f"https://example.com{url}", "description": text},
        {"name": name, "price": f"${price:,.2f}", "url": url, "description": text},
    )


def _job(chance: random.Random, n: int) -> tuple[Record, dict[str, str]]:
    title = f"{chance.choice(('Senior', 'Junior', 'Lead'))} {chance.choice(_NOUNS)} Engineer {n}"
    company = f"{chance.choice(_LAST)} {chance.choice(('Ltd', 'GmbH', 'Group'))}"
    month, day = chance.randint(1, 10), chance.randint(1, 28)
    town = chance.choice(_TOWNS)
    return (
        {"title": title, "company": company, "location": town,
         "posted": f"2024-{month:02}-{day:02}"},
        {"title": title, "company": company, "location": town,
         "posted": f"{_MONTHS[month - 1]} {day}, 2024"},
    )  # fmt: skip


def _review(chance: random.Random, n: int) -> tuple[Record, dict[str, str]]:
    author = f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"
    text = _sentence(chance, 14, 40)
    rating, month = chance.randint(2, 9) / 2, chance.randint(1, 10)
    return (
        {"author": author, "rating": rating, "date": f"2023-{month:02}-{n % 28 + 1:02}",
         "text": text},
        {"author": author, "rating": f"{rating:g}",
         "date": f"{n % 28 + 1} {_MONTHS[month - 1]} 2023", "text": text},
    )  # fmt: skip


def _person(chance: random.Random, n: int) -> tuple[Record, dict[str, str]]:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    mail = f"{first.lower()}.{last.lower()}{n}@example.com"
    role = chance.choice(("Professor", "Lecturer", "Librarian", "Registrar"))
    return (
        {"name": f"{first} {last}", "email": mail, "role": role},
        {"name": f"{first} {last}", "email": mail, "role": role},
    )


def _schema(title: str, /, **properties: dict[str, Any]) -> dict[str, Any]:
    first = next(iter(properties))
    return {"type": "object", "title": title, "properties": properties, "required": [first]}


_TEXT: dict[str, Any] = {"type": "string"}
KINDS = {
    "product": Kind(
        _schema("Product", name=_TEXT, price={"type": "number"},
                url={"type": "string", "format": "uri"}, description=_TEXT),
        _product,
        {"name": "Product", "price": "Price", "description": "Description"},
        {"name": "product-title", "price": "product-price", "description": "product-summary"},
    ),
    "job": Kind(
        _schema("JobPosting", title=_TEXT, company=_TEXT, location=_TEXT,
                posted={"type": "string", "format": "date"}),
        _job,
        {"title": "Position", "company": "Company", "location": "Location", "posted": "Posted"},
        {"title": "job-title", "company": "job-company", "location": "job-location",
         "posted": "date-posted"},
    ),
    "review": Kind(
        _schema("Review", author=_TEXT, rating={"type": "number"},
                date={"type": "string", "format": "date"}, text=_TEXT),
        _review,
        {"author": "Author", "rating": "Rating", "date": "Date", "text": "Review"},
        {"author": "comment-author", "rating": "rating", "date": "comment-date",
         "text": "comment-text"},
    ),
    "person": Kind(
        _schema("Person", name=_TEXT, email={"type": "string", "format": "email"}, role=_TEXT),
        _person,
        {"name": "Name", "email": "E-mail", "role": "Role"},
        {"name": "person-name", "email": "person-email", "role": "person-role"},
    ),
}  # fmt: skip


@dataclass(slots=True)
class _Page:
    """What a layout needs to write the rows of one page."""

    chance: random.Random
    kind: Kind
    named: bool  # whether classes say what a value is
    rows: list[list[Row]]

    def classed(self, name: str, number: int = 0) -> str:
        return f' class="{name} n{number}"' if self.named else ' class="x7 y"'

    def value(self, row: list[Row], which: Row, tag: str = "span") -> str:
        prop, shown, name = which
        shown = escape(shown)
        link = next((text for each, text, _ in row if each == "url"), None)
        if which is row[0] and link:
            shown = f'<a href="{escape(link)}">{shown}</a>'
        return f"<{tag}{self.classed(name)}>{shown}</{tag}>" if prop != "url" else ""


def _shown(row: list[Row]) -> list[Row]:
    return [each for each in row if each[0] != "url"]


def _headed_table(page: _Page) -> str:
    head = "".join(f"<th>{page.kind.headers[prop]}" for prop, _, _ in _shown(page.rows[0]))
    body = "".join(
        "<tr>" + "".join(f"<td>{page.value(row, each)}" for each in _shown(row))
        for row in page.rows
    )
    return f"<table><thead><tr>{head}</thead><tbody>{body}</table>"


def _plain_table(page: _Page) -> str:
    head = "".join(f"<th>{page.kind.headers[prop]}</th>" for prop, _, _ in _shown(page.rows[0]))
    rows = [
        f"<tr{page.classed('odd' if at % 2 else 'even')}>"
        + "".join(f"<td>{page.value(row, each, 'div')}</td>" for each in _shown(row))
        + "</tr>"
        for at, row in enumerate(page.rows)
    ]
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _card(page: _Page, row: list[Row], at: int, tag: str = "div") -> str:
    first, *others = _shown(row)
    inner = page.value(row, first, "h3") + "".join(page.value(row, each, "p") for each in others)
    return f"<{tag}{page.classed('card', at)}><img src='/i/{at}.png'>{inner}</{tag}>"


def _cards(page: _Page) -> str:
    return f"<ul>{''.join(_card(page, row, at, 'li') for at, row in enumerate(page.rows))}</ul>"


def _grid(page: _Page) -> str:
    cards = [f"<div class=col>{_card(page, row, at)}</div>" for at, row in enumerate(page.rows)]
    lines = [cards[at : at + 3] for at in range(0, len(cards), 3)]
    return "".join(f"<div class=row>{''.join(line)}</div>" for line in lines)


def _articles_with_ads(page: _Page) -> str:
    parts = []
    for at, row in enumerate(page.rows):
        parts.append(_card(page, row, at, "article"))
        if at % 3 == 2:
            parts.append("<div class=ad><a href=//ads.example>Buy the best shoes now!</a></div>")
    return "".join(parts)


def _flat(page: _Page) -> str:
    return "".join(
        page.value(row, row[0], "h3")
        + "".join(page.value(row, each, "p") for each in _shown(row)[1:])
        for row in page.rows
    )


def _definitions(page: _Page) -> str:
    rows = [
        "<dl>" + "".join(f"<dt>{page.kind.headers[each[0]]}<dd>{page.value(row, each)}"
                         for each in _shown(row)) + "</dl>"
        for row in page.rows
    ]  # fmt: skip
    return "".join(rows)


def _one_definition_list(page: _Page) -> str:
    rows = [
        "".join(f"<dt>{page.kind.headers[each[0]]}</dt><dd>{page.value(row, each)}</dd>"
                for each in _shown(row))
        for row in page.rows
    ]  # fmt: skip
    return f"<dl>{''.join(rows)}</dl>"


def _labelled(page: _Page) -> str:
    return "".join(
        f"<div{page.classed('entry', at)}>{page.value(row, row[0], 'h4')}"
        + "".join(
            f"<div><b>{page.kind.headers[each[0]]}:</b> {escape(each[1])}</div>"
            for each in _shown(row)[1:]
        )
        + "</div>"
        for at, row in enumerate(page.rows)
    )


def _nested(page: _Page) -> str:
    parts = []
    for at, row in enumerate(page.rows):
        tags = "".join(
            f"<li><a href=/t/{word}>{word}</a>" for word in page.chance.sample(_WORDS, 3)
        )
        parts.append(
            f"<section{page.classed('item', at)}>{_card(page, row, at)}<ul>{tags}</ul></section>"
        )
    return "".join(parts)


def _paired_rows(page: _Page) -> str:
    rows = []
    for row in page.rows:
        first, *others = _shown(row)
        rows.append(
            f"<tr{page.classed('athing')}><td>{page.value(row, first)}</td></tr>"
            f"<tr><td>{' | '.join(page.value(row, each) for each in others)}</td></tr>"
            "<tr class=spacer></tr>"
        )
    return f"<table>{''.join(rows)}</table>"


def _two_lists(page: _Page) -> str:
    news = "".join(
        f"<li class=news><a href=/news/{n}>{_sentence(page.chance)}</a>" for n in range(12)
    )
    lists = (("News", f"<ul>{news}</ul>"), ("All", _cards(page)))
    return "".join(f"<section><h2>{title}</h2>{rows}</section>" for title, rows in lists)


Layout = Callable[[_Page], str]

FIT: dict[str, Layout] = {
    "headed table": _headed_table,
    "cards": _cards,
    "grid": _grid,
    "flat": _flat,
    "definitions": _definitions,
    "two lists": _two_lists,
}
JUDGED: dict[str, Layout] = {
    "plain table": _plain_table,
    "articles and ads": _articles_with_ads,
    "one definition list": _one_definition_list,
    "labelled": _labelled,
    "nested": _nested,
    "paired rows": _paired_rows,
}


def listings(layouts: dict[str, Layout], each: int = 2) -> Iterator[Listing]:
    """`each` pages of every layout and kind, with classes that tell and with such that do not."""
    for layout, write in layouts.items():
        for name, kind in KINDS.items():
            for number in range(2 * each):
                chance = random.Random(f"{layout} {name} {number}")
                yield _listing(layout, write, name, kind, chance, named=number % 2 == 0)


def _listing(
    layout: str,
    write: Callable[[_Page], str],
    name: str,
    kind: Kind,
    chance: random.Random,
    *,
    named: bool,
) -> Listing:
    made = [kind.make(chance, n) for n in range(chance.randint(4, 30))]
    rows = [
        [(prop, shown, kind.classes.get(prop, "link")) for prop, shown in written.items()]
        for _, written in made
    ]
    page = _Page(chance, kind, named, rows)
    records = [record for record, _ in made]
    body = f"{_TOP}<main><h1>All of them</h1>{_aside(chance)}{write(page)}</main>{_BOTTOM}"
    markup = f"<!DOCTYPE html><html lang=en><title>All of them</title><body>{body}</body></html>"
    return Listing(layout, name, markup, "https://example.com/list", kind.schema, records)


_TOP = (
    "<header><a href=/>Home of things</a><nav><ul>"
    + "".join(f"<li class=menu-item><a href=/m/{n}>Section {n}</a></li>" for n in range(9))
    + "</ul></nav></header>"
)
_BOTTOM = (
    "<footer><ul>"
    + "".join(
        f"<li><a href=/f/{n}>{word.capitalize()}</a></li>" for n, word in enumerate(_WORDS[:14])
    )
    + "</ul><p>© 2024 Things Ltd, +1 555 0100</p></footer>"
)


def _aside(chance: random.Random) -> str:
    items = "".join(f"<li><a href=/s/{n}>{_sentence(chance, 3, 6)}</a></li>" for n in range(5))
    return f"<aside class=sidebar><h4>Popular</h4><ul>{items}</ul></aside>"


HALVES = {"fit": FIT, "judged": JUDGED}
