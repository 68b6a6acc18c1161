"""Rows that lack a value: what has a label of its own is never taken for another field."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.site.examples import learn_example

TEXT = {"type": "string"}
FIELDS = ("name", "description", "syntax", "default", "scope")
WITHOUT_SCOPE = FIELDS[:-1]
PROSE = "<p>It is read when the lamp is lit, and once more when somebody asks for its state.</p>"
SETTINGS: tuple[dict[str, str], ...] = (
    {"description": "Lights a lamp", "syntax": "Lamp on|off", "scope": "house, room"},
    {
        "description": "Sets how bright it is",
        "syntax": "Glow percent",
        "default": "Glow 80",
        "scope": "room",
    },
    {"description": "Names a wall", "syntax": "Wall name", "scope": "house"},
    {
        "description": "Lets it blink",
        "syntax": "Blink seconds",
        "default": "Blink 0",
        "scope": "house, lamp",
    },
    {"description": "Dims it at night", "default": "Night yes", "scope": "lamp"},
)
NAMES = ("Lamp", "Glow", "Wall", "Blink", "Night")


SHAPES = {
    "a table": (
        "<table class=setting>{}<tr><th>Kind:</th><td>Core</td></tr></table>",
        "<tr><th><a href=/terms#{0}>{0}:</a></th><td>{1}</td></tr>",
    ),
    "a plain table": ("<table>{}</table>", "<tr><td>{}</td><td>{}</td></tr>"),
    "empty cells": ("<table class=setting>{}</table>", "<tr><th>{}</th><td>{}</td></tr>"),
    "empty plain cells": ("<table>{}</table>", "<tr><td><b>{}</b></td><td>{}</td></tr>"),
    "definitions": ("<dl>{}</dl>", "<dt>{}</dt><dd>{}</dd>"),
    "empty definitions": ("<dl>{}</dl>", "<dt>{}</dt><dd>{}</dd>"),
    "lines": ("{}", "<p class=line><b>{}:</b> {}</p>"),
}


def written(shape: str, setting: dict[str, str]) -> str:
    """A setting in a shape; the empty ones have a row for what it lacks as well."""
    whole, row = SHAPES[shape]
    keys = FIELDS[1:] if shape.startswith("empty") else setting
    return whole.format("".join(row.format(key.title(), setting.get(key, "")) for key in keys))


def page(shape: str) -> str:
    sections = "".join(
        f"<section class=entry><h2>{name}</h2>{written(shape, setting)}{PROSE}</section>"
        for name, setting in zip(NAMES, SETTINGS, strict=True)
    )
    return f"<html><title>Settings</title><body><h1>Settings</h1>{sections}</body></html>"


def wanted(fields: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(fields, TEXT), "required": ["name"]}


def wrong(markup: str, fields: tuple[str, ...], template: Any = None) -> list[tuple[str, str]]:
    """The values that are not those of their setting."""
    read = extract(markup, "https://lamps.example/settings", plan(wanted(fields)), template)
    known = dict(zip(NAMES, SETTINGS, strict=True))
    return [
        (field, value)
        for record in read.records
        for field, value in record.data.items()
        if field != "name" and value != known[record.data["name"]].get(field)
    ]


@pytest.mark.parametrize("fields", [FIELDS, WITHOUT_SCOPE])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_setting_without_a_default_gets_no_other_line_as_its_default(
    shape: str, fields: tuple[str, ...]
) -> None:
    assert wrong(page(shape), fields) == []


@pytest.mark.parametrize("shape", SHAPES)
def test_each_setting_keeps_the_default_that_it_has(shape: str) -> None:
    read = extract(page(shape), "https://lamps.example/settings", plan(wanted(FIELDS)))
    defaults = [record.data.get("default") for record in read.records]
    assert defaults == [None, "Glow 80", None, "Blink 0", "Night yes"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_page_about_one_setting_without_a_default_has_none(shape: str) -> None:
    markup = f"<title>Lamp</title><body><h1>Lamp</h1>{written(shape, SETTINGS[0])}{PROSE}</body>"
    [record] = extract(markup, "https://lamps.example/lamp", plan(wanted(WITHOUT_SCOPE))).records
    assert "default" not in record.data


def test_an_example_teaches_the_label_of_a_line_and_not_its_number() -> None:
    example = {"name": "Glow", "description": "Sets how bright it is", "default": "Glow 80"}
    markup, fields = page("a table"), ("name", "description", "default")
    url, taught = "https://lamps.example/settings", plan(wanted(fields))
    template = learn_example(markup, url, taught, example)
    assert template is not None
    assert wrong(markup, fields, template) == []


CARDS = "".join(
    f"<li class=card><h3>{name}</h3><p class=fact>{fact}</p></li>"
    for name, fact in zip(
        NAMES,
        ("Price: 20 EUR", "Stock: 3 lamps", "Price: 31 EUR", "Price: 15 EUR", "Stock: 9 lamps"),
        strict=True,
    )
)


def test_a_card_without_a_price_does_not_get_its_stock_as_one() -> None:
    schema = {"type": "object", "properties": {"name": TEXT, "price": TEXT}, "required": ["name"]}
    read = extract(f"<body><ul>{CARDS}</ul></body>", "https://lamps.example/", plan(schema))
    prices = [record.data.get("price") for record in read.records]
    assert prices == ["20 EUR", None, "31 EUR", "15 EUR", None]


POSTS = (
    ("Ann", "The lamp in the hall went out twice this evening, and nobody had touched it."),
    ("Bob", "Mine did the same until the firmware of the bridge was replaced last week."),
    ("Ann", "Then I shall replace it tomorrow; the old one is three years behind by now."),
    ("Cem", "Keep the old one, since the newer bridge does not know the lamps of the first year."),
)


def test_posts_keep_their_texts_where_an_author_wrote_several() -> None:
    tables = "".join(
        f"<table class=post><tr><td>{author}</td><td>{text}</td></tr></table>"
        for author, text in POSTS
    )
    schema = wanted(("name", "description"))
    read = extract(f"<body>{tables}</body>", "https://lamps.example/talk", plan(schema))
    assert [tuple(record.data.values()) for record in read.records] == list(POSTS)
