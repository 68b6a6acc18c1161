"""How well copies of records are told from records that only look like them.

Run `python -m bench.copies`: people, products and articles made up here, and the true records of
recipes, each with planted copies (on another address, in other case, without accents, cut, with the
name of the site behind its own, with words of a long text exchanged) and with planted neighbours
(all the same but another name, one more word in the name, another number, company or currency).
Precision is the share of real copies among those that count as copies.
"""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from app.engine.extraction.schema.schema import Plan, plan
from app.engine.judging.sameness import identity, same
from bench.extract.data import RECIPE, RECIPES, recipes

_TEXT: Final = {"type": "string"}
_PAGE, _ELSEWHERE = "https://first.example/page", "https://second-herald.example/other"
_MANY: Final = 100
_LONG: Final = 15  # words
_GIVEN: Final = [
    "Ana",
    "Bruno",
    "Chloé",
    "Dmitri",
    "Émile",
    "Fatima",
    "Gwen",
    "Hélène",
    "Ivo",
    "José",
    "Kim",
    "Łucja",
]
_FAMILY: Final = [
    "Silva",
    "Novák",
    "Martin",
    "Khan",
    "O'Brien",
    "Sørensen",
    "Müller",
    "Rossi",
    "García",
    "Chen",
]
_ROLES: Final = (
    "Product Manager",
    "Senior Software Engineer",
    "Head of Sales and Marketing",
    "Chief Executive Officer",
)
_COMPANIES: Final = ("Acme", "Northwind Traders Ltd", "Blue Lamp & Sons", "Oak Street Bakery")
_WORDS: Final = [
    "the",
    "a",
    "small",
    "large",
    "house",
    "river",
    "night",
    "owl",
    "lamp",
    "table",
    "city",
    "winter",
    "spring",
    "bread",
    "paper",
    "engine",
    "road",
    "light",
    "under",
    "over",
    "near",
    "quiet",
    "bright",
    "old",
    "new",
    "first",
    "last",
    "many",
    "few",
    "makes",
    "finds",
    "keeps",
    "carries",
]


def _schema(*required: str, **more: Any) -> Plan:
    properties = {**dict.fromkeys(required, _TEXT), **more}
    return plan({"type": "object", "properties": properties, "required": list(required)})


class Sample(NamedTuple):
    """A record, and the field that is its name."""

    kind: str
    plan: Plan
    name: str
    data: dict[str, Any]


class Pair(NamedTuple):
    """Two records: the same or not, and how the second was planted."""

    kind: str
    way: str
    copy: bool
    found: bool


def samples(dice: random.Random) -> Iterator[Sample]:
    people = _schema("name", "role", "company")
    optional = _schema("role", "company", name=_TEXT)
    products = _schema("title", "price", description=_TEXT, sku=_TEXT)
    articles = _schema("title", summary=_TEXT, url={"type": "string", "format": "uri"})
    for n in range(_MANY):
        person = {
            "name": f"{dice.choice(_GIVEN)} {dice.choice(_FAMILY)}",
            "role": dice.choice(_ROLES),
            "company": dice.choice(_COMPANIES),
        }
        yield Sample("person", (people, optional)[n % 2], "name", person)
        goods = {"title": _text(dice, 3), "price": f"{n + 5} EUR", "description": _text(dice, 30)}
        goods["sku"] = f"A-{n}"
        yield Sample("product", products, "title", goods)
        news = {"title": _text(dice, 7), "summary": _text(dice, 40), "url": _PAGE}
        yield Sample("article", articles, "title", news)
    if RECIPES.exists():
        wanted = plan(RECIPE)
        yield from (Sample("recipe", wanted, "title", page.truth) for page in recipes())


def _text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(_WORDS, k=words)).capitalize()


def pairs(sample: Sample, dice: random.Random) -> Iterator[Pair]:
    for is_copy, planted in ((True, _copies(sample, dice)), (False, _neighbours(sample, dice))):
        for way, data in planted:
            for url in (_ELSEWHERE,) if is_copy else (_ELSEWHERE, _PAGE):
                one = identity(sample.plan, sample.data, _PAGE)
                moved = {"url": url} if "url" in data else {}
                other = identity(sample.plan, {**data, **moved}, url)
                yield Pair(sample.kind, way, is_copy, same(one, other))


def _copies(sample: Sample, dice: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    data, name = sample.data, sample.name
    yield "as it is", data
    yield "case", {key: x.upper() if isinstance(x, str) else x for key, x in data.items()}
    yield "signs", {**data, name: f"“{data[name]}”!"}
    yield "site's name", {**data, name: f"{data[name]} | Second Herald"}
    for key, value in data.items():
        words = value.split() if isinstance(value, str) else []
        if len(words) >= _LONG:
            yield "cut", {**data, key: " ".join(words[: len(words) // 2])}
            changed = [dice.choice(_WORDS) if dice.random() < 0.05 else x for x in words]
            yield "words", {**data, key: " ".join(changed)}


def _neighbours(sample: Sample, dice: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    data, name = sample.data, sample.name
    yield (
        "another name",
        {**data, name: " ".join([dice.choice(_GIVEN), dice.choice(_FAMILY), "II"])},
    )
    yield "a word more", {**data, name: f"{data[name]} Pro"}
    yield "another number", {**data, name: f"{data[name]} 2"}
    if "company" in data:
        yield "another company", {**data, "company": "Zenith Mills"}
    if "price" in data:
        yield "another price", {**data, "price": "1,234 EUR"}
        yield "another currency", {**data, "price": data["price"].replace("EUR", "USD")}
        yield "another sku", {**data, "sku": "B-2000"}


def measured() -> list[Pair]:
    dice = random.Random(20)
    return [pair for sample in samples(dice) for pair in pairs(sample, dice)]


def precision(found: list[Pair]) -> float:
    kept = [pair.copy for pair in found if pair.found]
    return sum(kept) / max(1, len(kept))


def recall(found: list[Pair]) -> float:
    copies = [pair.found for pair in found if pair.copy]
    return sum(copies) / max(1, len(copies))


def main() -> None:
    found = measured()
    counts = Counter((pair.copy, pair.kind, pair.way, pair.found) for pair in found)
    for is_copy, kind, way in sorted({key[:3] for key in counts}):
        alike, other = (counts[is_copy, kind, way, x] for x in (True, False))
        planted = "copy" if is_copy else "neighbour"
        print(f"{planted:<11}{kind:<9}{way:<18}{alike:>5} of {alike + other}")
    print(f"precision {precision(found):.1%}, recall {recall(found):.1%}")


if __name__ == "__main__":
    main()
