"""Fetches with noise only, and as many with one edit and the same noise, through the product."""

import random
from functools import partial

from tests.integration.monitors.watching import Watching
from tests.internet import Internet
from tests.unit.engine.extraction.changing_pages import made

PAGES = 12  # more in tests/unit/engine/extraction/test_difference.py
RECORD = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "currency": {"type": "string"},
        "availability": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "width": {"type": "string"},
        "warranty": {"type": "string"},
        "noise": {"type": "string"},
    },
    "required": ["name"],
}


class Noisy:
    """A site that never shows a page alike twice."""

    def __init__(self, site: Internet) -> None:
        self.pages = [made(seed) for seed in range(PAGES)]
        self.day = 0
        self._noise = random.Random(7)
        for n in range(PAGES):
            site.pages[f"/{n}"] = partial(self._fetch, n)

    def _fetch(self, n: int) -> str:
        return self.pages[n].fetch(self._noise, days_later=self.day)

    def edit(self) -> None:
        chance = random.Random(11)
        self.pages = [page.edited(chance, tracked=True)[0] for page in self.pages]


def test_with_a_schema_no_noise_is_a_change_and_every_edit_is_found(
    shop: Watching,
) -> None:
    noisy = Noisy(shop.site)
    job = shop.watch(shop.urls(*(f"/{n}" for n in range(PAGES))), schema=RECORD)
    noisy.day = 1
    run = shop.run(job)
    assert shop.verdicts(run) == {"same": PAGES}, run.stats
    noisy.edit()
    noisy.day = 2
    shop.run(job)
    noisy.day = 3
    shop.run(job)  # what vanished is reported when the next run agrees
    assert len({change.url for change in shop.changes(job)}) == PAGES
