"""Values whose truth is known: the best reading of a field, and how much of it is right.

Recipe pages as they are, without structured data, and that with another page of the site as an
example; SWDE's pages alone, together and with an example, of the fitting half also generated sites;
made up listings; and manuals, fetched with apt: the names on pages with objects, which an index
lists, and all values on those without.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from app.engine.extraction.records.extract import PageRecords
from app.engine.extraction.records.readings import Entity, FieldReading, Readings
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site.consensus import learn
from app.engine.extraction.site.examples import learn_example
from app.engine.extraction.site.template import Template
from bench.extract import indexed_manuals
from bench.extract.data import (
    RECIPE,
    RECIPES,
    SWDE,
    Page,
    half,
    recipes,
    swde,
    swde_schema,
    without_structure,
)
from bench.extract.quality import pairs, read
from bench.extract.scoring import in_turn, judged
from bench.extract.sources import generated_sites, listings

_AS_THEY_ARE, _STRIPPED, _TAUGHT = "recipes", "recipes, stripped", "recipes, one example"
_SWDE, _GENERATED = "SWDE", "generated"
_ALONE, _TOGETHER, _EXAMPLE = "alone", "together", "one example"
_LISTINGS, _MANUALS = "listings", "manuals"
# Ten pages of a site err alike, and what programs made or a manual lists even more.
_WEIGHTS: Final = {_SWDE: 0.3, _GENERATED: 0.1, _LISTINGS: 0.01, _MANUALS: 0.01}


class Case(NamedTuple):
    """The best reading of a field whose truth is known: how much of its value is right."""

    pages: str
    site: str
    field: str
    reading: FieldReading
    right: float

    @property
    def weight(self) -> float:
        return _WEIGHTS.get(self.pages.partition(", ")[0], 1.0)


def cases(which: str, folder: Path) -> Iterator[Case]:
    """The values of the sites of a half; manuals are in the folder, or put there."""
    if RECIPES.exists():
        yield from _of_recipes([page for page in recipes() if half(page.site) == which])
    else:
        print(f"skipped: {RECIPES} is absent")
    if SWDE.exists():
        for site, pages in swde().items():
            if half(site) == which:
                yield from _of_site(pages, plan(swde_schema(site)), _SWDE)
    else:
        print(f"skipped: {SWDE} is absent")
    for _, schema, pages in generated_sites.sites(folder) if which == "fit" else ():
        yield from _of_site(pages, plan(dict(schema)), _GENERATED)
    yield from _of_listings(which)
    for package in indexed_manuals.HALVES[which]:
        yield from _of_manual(package, folder)


def _of_recipes(pages: Sequence[Page]) -> Iterator[Case]:
    wanted = plan(RECIPE)
    stripped = [
        Page(page.site, page.url, without_structure(page.markup), page.truth) for page in pages
    ]
    for name, its in ((_AS_THEY_ARE, pages), (_STRIPPED, stripped)):
        for page in its:
            yield from _of_page(name, page, wanted, read(page, wanted))
    for page, example in pairs(stripped):
        taught = learn_example(example.markup, example.url, wanted, example.truth)
        yield from _of_page(_TAUGHT, page, wanted, read(page, wanted, taught), taught)


def _of_site(pages: Sequence[Page], wanted: Plan, of: str) -> Iterator[Case]:
    """The pages of a site alone, together, and with the fullest of three as an example."""
    results = [read(page, wanted) for page in pages]
    template = learn(wanted, [each.readings for each in results if each])
    for page, result in zip(pages, results, strict=True):
        yield from _of_page(f"{of}, {_ALONE}", page, wanted, result)
        yield from _of_page(f"{of}, {_TOGETHER}", page, wanted, result, template)
    example = max(pages[:3], key=lambda page: len(page.truth))
    truth = {n: v if isinstance(v, str) else v[0] for n, v in example.truth.items()}
    taught = learn_example(example.markup, example.url, wanted, truth)
    for page in pages:
        if page is not example:
            yield from _of_page(
                f"{of}, {_EXAMPLE}", page, wanted, read(page, wanted, taught), taught
            )


def _of_page(
    name: str, page: Page, wanted: Plan, result: PageRecords | None, known: Template | None = None
) -> Iterator[Case]:
    if result is None or not result.readings.entities:
        return
    if known is not None and len(result.readings.entities) > 1:
        known = known.of_rows()
    entity = result.readings.entities[0]
    yield from _of_entity(name, page.site, page.truth, wanted, entity, known)


def _of_entity(
    name: str,
    site: str,
    truth: Mapping[str, Any],
    wanted: Plan,
    entity: Entity,
    known: Template | None,
) -> Iterator[Case]:
    for each in wanted.every():
        readings: Sequence[FieldReading] = entity.fields.get(each.pointer, ())
        if known is not None:
            readings = known.weighed(each.pointer, readings)
        if readings and each.name in truth and not readings[0].ambiguous:
            right = judged(each.name, readings[0].value, truth[each.name])[0]
            yield Case(name, site, each.name, readings[0], right)


def _of_listings(which: str) -> Iterator[Case]:
    for each in listings.listings(listings.HALVES[which], each=1):
        wanted = plan(each.schema)
        result = read(Page(each.layout, each.url, each.markup, {}), wanted)
        first = next(iter(each.schema["properties"]))
        entities = (result.readings if result else Readings()).entities
        found = [entity.fields.get(f"/{first}", ()) for entity in entities]
        names = [readings[0].value if readings else None for readings in found]
        places = in_turn([record[first] for record in each.records], names)
        missing = dict.fromkeys(each.schema["properties"], "")
        for entity, at in zip(entities, places, strict=True):
            truth = missing if at is None else each.records[at]
            yield from _of_entity(_LISTINGS, each.layout, truth, wanted, entity, None)


def _of_manual(package: str, folder: Path) -> Iterator[Case]:
    for page in indexed_manuals.pages(package, folder):
        known = indexed_manuals.all_names(set().union(*page.objects.values()))
        as_read = Page(package, f"http://127.0.0.1/{page.name}", page.markup, {})
        result = read(as_read, plan(page.schema))
        for entity in result.readings.entities if result else ():
            for pointer, readings in entity.fields.items():
                right = float(indexed_manuals.bare(str(readings[0].value)) in known)
                if pointer == f"/{page.field_name}" or not known:
                    yield Case(_MANUALS, package, pointer[1:], readings[0], right)
