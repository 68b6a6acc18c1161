"""Pages of four kinds of sites that nobody made alike twice, and edits of them.

`Page.fetch` shows a page as one fetch sees it, with the noise real sites make: advertisements,
relative times, counters, today's date, order of rows and tags, white space, quotes, tokens,
classes, the order of keys, a cookie line now and then, other people's goods beside.
"""

import copy
import html
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any


def _words(text: str) -> list[str]:
    return text.split()


_WORDS = _words(
    "harbour timber copper signal garden winter bridge market paper engine letter island window"
    " silver station river ladder compass quarry pasture lantern anchor barrel canvas meadow"
    " orchard kettle saddle marble feather hammer thread pillow basket candle mirror button"
)
_VERBS = _words("holds moves carries needs follows replaces covers joins divides supports warms")
_GOODS = [f"{a} {b}" for a in ("Oak", "Tin", "Wool", "Clay", "Jade") for b in _WORDS[:12]]
_SLOGANS = [
    f"{a} your {b} today" for a in ("Insure", "Sell", "Ship", "Lease") for b in _WORDS[12:24]
]
_STOCK = {"In stock": "InStock", "Out of stock": "OutOfStock", "Preorder only": "PreOrder"}
_CITIES = _words("Lund Graz Brno Porto Ghent Turku Split Derry Cork Nantes")


@dataclass
class Page:
    """What a page says, apart from noise: the truth of its record, and its text."""

    kind: str
    record: dict[str, Any]
    paragraphs: list[str]
    day: date

    def fetch(self, noise: random.Random, *, days_later: int = 0) -> str:
        today = self.day + timedelta(days=days_later)
        return _TEMPLATES[self.kind](self, noise, today)

    def edited(self, chance: random.Random, *, tracked: bool) -> tuple["Page", str]:
        """A copy with one edit, and its name; a `tracked` one is of a field of the record."""
        page = copy.deepcopy(self)
        edits = _FIELD_EDITS if tracked else _FIELD_EDITS | _TEXT_EDITS
        name, edit = chance.choice([*edits.items()])
        edit(page, chance)
        return page, name


Edit = Callable[[Page, random.Random], object]


def made(seed: int) -> Page:
    chance = random.Random(seed)
    record = {
        "name": f"{chance.choice(_GOODS)} {chance.randint(10, 399)}",
        "price": chance.randint(300, 99_999) / 100,
        "currency": chance.choice(["EUR", "USD", "GBP"]),
        "availability": chance.choice(sorted(_STOCK)),
        "details": {
            "Weight": f"{chance.randint(1, 90)} kg",
            "Width": f"{chance.randint(10, 300)} cm",
            "Colour": chance.choice(["red", "green", "grey", "blue"]),
            "Warranty": f"{chance.randint(6, 60)} months",
            "Town": chance.choice(_CITIES),
        },
        "tags": chance.sample(_WORDS, 4),
        "published": date(chance.randint(2021, 2025), 1 + seed % 12, 1 + seed % 28).isoformat(),
    }
    paragraphs = [_paragraph(chance) for _ in range(chance.randint(4, 8))]
    kind = sorted(_TEMPLATES)[seed % len(_TEMPLATES)]
    return Page(kind, record, paragraphs, date(2026, 3, 1) + timedelta(days=seed % 300))


def _paragraph(chance: random.Random) -> str:
    return " ".join(_sentence(chance) for _ in range(chance.randint(2, 4)))


def _sentence(chance: random.Random) -> str:
    parts = [
        f"{chance.choice(['the', 'a', 'each', 'one'])} {chance.choice(_WORDS)}"
        f" {chance.choice(_VERBS)} {chance.choice(['the', 'its'])} {chance.choice(_WORDS)}"
        for _ in range(chance.randint(1, 3))
    ]
    text = chance.choice([" and ", ", but ", " while "]).join(parts)
    tail = chance.choice(
        ["", f" for {chance.randint(2, 700)} years", f" near {chance.choice(_CITIES)}'s gate"]
    )
    return f"{text[0].upper()}{text[1:]}{tail}."


# The templates. Each takes the page, what makes the noise, and the day of the fetch.


def _shop(page: Page, noise: random.Random, today: date) -> str:
    record, rows = page.record, _shuffled(page.record["details"].items(), noise)
    specs = "".join(f"<tr><th>{k}</th>{_gap(noise)}<td>{v}</td></tr>" for k, v in rows)
    return _whole(
        page, noise, today,
        f"{_ad(noise)}<main><div class='grid g{noise.randint(1, 40)}'><h1>{record['name']}</h1>"
        f"<p class=offer>{record['price']:.2f} {record['currency']}</p>"
        f"<p class=stock>{record['availability']}</p>{_texts(page, noise)}"
        f"<table>{specs}</table>{_tags(page, noise)}</div>"
        f"<p class=popular>{noise.randint(2, 60)} people viewing this, {noise.randint(1, 9)} sold"
        " in the last hour</p>"
        f"</main>{_others(noise)}",
    )  # fmt: skip


def _article(page: Page, noise: random.Random, today: date) -> str:
    record = page.record
    return _whole(
        page, noise, today,
        f"<div id=top class='tb-{noise.randbytes(2).hex()}'>{today:%A, %d %B %Y}</div>"
        f"<article><header><h1>{_gap(noise)}{record['name']}</h1><p class=byline>First published"
        f" {record['published']}, updated {noise.randint(2, 50)} minutes ago</p></header>"
        f"<p class=price-note>Now at {record['price']:.2f} {record['currency']}</p>"
        f"<p class=availability>{record['availability']}</p>"
        f"{_texts(page, noise)}{_ad(noise)}{_list(page, noise)}{_tags(page, noise)}</article>"
        f"<p class=counts>{noise.randint(900, 99_000):,} views · {noise.randint(1, 400)} comments"
        "</p>"
        f"{_others(noise)}",
    )  # fmt: skip


def _register(page: Page, noise: random.Random, today: date) -> str:
    record, rows = page.record, _shuffled(page.record["details"].items(), noise)
    cells = "".join(f"<div class=cell><b>{k}:</b> {v}</div>{_gap(noise)}" for k, v in rows)
    return _whole(
        page, noise, today,
        f"<section id=entry><h2>{record['name']}</h2>"
        f"<div class=status>{record['availability']}</div>"
        f"<div class=fee>Fee: {record['price']:.2f} {record['currency']}</div>{cells}"
        f"{_texts(page, noise)}{_tags(page, noise)}</section>{_ad(noise)}"
        f"<div class=foot>As of {today:%d/%m/%Y}. Answered in {noise.random():.3f} s."
        f" Session {noise.randbytes(5).hex()}</div>",
    )  # fmt: skip


def _listing(page: Page, noise: random.Random, today: date) -> str:
    record, rows = page.record, _shuffled(page.record["details"].items(), noise)
    terms = "".join(f"<dt>{k}</dt>{_gap(noise)}<dd>{v}</dd>" for k, v in rows)
    return _whole(
        page, noise, today,
        f"<div class=page><div class=hero><h1>{record['name']}</h1>"
        f"<span class=amount>{record['price']:.2f} {record['currency']}</span>"
        f"<div class=avail>{record['availability']}</div></div>{_ad(noise)}"
        f"<dl class=facts>{terms}</dl><div class=body>{_texts(page, noise)}</div>"
        f"{_tags(page, noise)}<div class=seen>{noise.randint(3, 900)} watchers, online now:"
        f" {noise.randint(1, 300)}</div></div>{_others(noise)}",
    )  # fmt: skip


_TEMPLATES: dict[str, Callable[[Page, random.Random, date], str]] = {
    "shop": _shop,
    "article": _article,
    "register": _register,
    "listing": _listing,
}


def _whole(page: Page, noise: random.Random, today: date, body: str) -> str:
    record = page.record
    offer = {
        "@type": "Offer",
        "price": f"{record['price']:.2f}",
        "priceCurrency": record["currency"],
        "availability": f"https://schema.org/{_STOCK[record['availability']]}",
        "priceValidUntil": (today + timedelta(days=noise.randint(1, 30))).isoformat(),
    }
    details = [
        {"@type": "PropertyValue", "name": name, "value": value}
        for name, value in _shuffled(record["details"].items(), noise)
    ]
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": record["name"],
        "keywords": _shuffled(record["tags"], noise),
        "releaseDate": record["published"],
        "offers": dict(_shuffled(offer.items(), noise)),
        "additionalProperty": details,
        "sku": noise.randbytes(4).hex(),
    }
    banner = "<p class=cookie-line>This site uses cookies to count visits.</p>"
    return (
        f"<!doctype html><html lang=en><head><title>{record['name']} - Alden</title>"
        f"<meta name=token content={noise.randbytes(9).hex()}>"
        f"<script type='application/ld+json'>{json.dumps(dict(_shuffled(data.items(), noise)))}"
        f"</script></head><body><nav><a href='/?s={noise.randbytes(3).hex()}'>Start</a></nav>"
        f"{banner if noise.random() < 0.3 else ''}{body}"
        f"<footer>© {today.year} Alden, node {noise.randint(1, 12)}</footer></body></html>"
    )


def _texts(page: Page, noise: random.Random) -> str:
    return "".join(f"<p>{_gap(noise)}{_retyped(text, noise)}</p>" for text in page.paragraphs)


def _retyped(text: str, noise: random.Random) -> str:
    """The same text in other quotes and spaces."""
    quoted = html.escape(text, quote=False).replace("'", noise.choice(["'", "’"]))
    return quoted.replace(" its ", noise.choice([" its ", "&nbsp;its ", "  its "]))


def _tags(page: Page, noise: random.Random) -> str:
    items = "".join(f"<li>{tag}</li>" for tag in _shuffled(page.record["tags"], noise))
    return f"<ul class=keywords>{items}</ul>"


def _list(page: Page, noise: random.Random) -> str:
    rows = _shuffled(page.record["details"].items(), noise)
    return "<ul class=facts>" + "".join(f"<li>{k}: {v}</li>" for k, v in rows) + "</ul>"


def _ad(noise: random.Random) -> str:
    return (
        f"<div class='slot s{noise.randint(1, 9)}'><a href='/go?{noise.randbytes(4).hex()}'>"
        f"{noise.choice(_SLOGANS)}</a></div>"
    )


def _others(noise: random.Random) -> str:
    goods = "".join(f"<li>{name}</li>" for name in noise.sample(_GOODS, 4))
    return f"<aside><h3>Others looked at</h3><ul>{goods}</ul></aside>"


def _gap(noise: random.Random) -> str:
    return noise.choice(["", " ", "\n   ", "\t"])


def _shuffled(values: Any, noise: random.Random) -> list[Any]:
    values = list(values)
    if noise.random() < 0.5:
        noise.shuffle(values)
    return values


# The edits. Those of fields change the record; those of text do not.

_NEXT_CURRENCY = {"EUR": "USD", "USD": "GBP", "GBP": "EUR"}

_FIELD_EDITS: dict[str, Edit] = {
    "price": lambda page, chance: page.record.update(
        price=round(page.record["price"] + chance.choice([0.01, 1, 12.5]), 2)
    ),
    "currency": lambda page, _: page.record.update(
        currency=_NEXT_CURRENCY[page.record["currency"]]
    ),
    "stock": lambda page, chance: page.record.update(
        availability=chance.choice(sorted(_STOCK.keys() - {page.record["availability"]}))
    ),
    "name": lambda page, _: page.record.update(name=f"{page.record['name']} Mark II"),
    "detail": lambda page, chance: page.record["details"].update(
        Width=f"{chance.randint(301, 400)} cm"
    ),
    "detail gone": lambda page, _: page.record["details"].pop("Warranty"),
    "new detail": lambda page, _: page.record["details"].update(Noise="41 dB"),
    "tag": lambda page, _: page.record.update(
        tags=[*page.record["tags"][:2], "discontinued", page.record["tags"][3]]
    ),
}


def _rewritten(rewrite: Callable[[str, random.Random], str]) -> Edit:
    """An edit of one paragraph."""

    def edit(page: Page, chance: random.Random) -> None:
        at = chance.randrange(len(page.paragraphs))
        page.paragraphs[at] = rewrite(page.paragraphs[at], chance)

    return edit


def _other_word(text: str, _: random.Random) -> str:
    *before, word, last = text.split(" ")
    return " ".join([*before, "everything" if word == "nothing" else "nothing", last])


def _new_paragraph(page: Page, chance: random.Random) -> None:
    notice = "Owners are asked to return this article at once: its handle may break."
    page.paragraphs.insert(chance.randrange(len(page.paragraphs)), notice)


_TEXT_EDITS: dict[str, Edit] = {
    "word": _rewritten(_other_word),
    "number": _rewritten(lambda text, chance: f"{text[:-1]} at {chance.randint(2, 9)} bar."),
    "sentence gone": _rewritten(lambda text, _: f"{text.rpartition('. ')[0]}."),
    "new paragraph": _new_paragraph,
    "new date": _rewritten(
        lambda text, chance: f"{text} Sales end on {chance.randint(1, 28)} October 2027."
    ),
}
