"""Searches over a few pages: answered, without an answer, cancelled, waiting."""

from typing import TYPE_CHECKING, Final

from app.core import db, ids
from app.core.ids import Noun
from app.domains.search.searches import service as searches
from app.domains.search.searches import store
from tests import builders
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("welcome", "/", None),
    Page("ask", "/"),
    Page("ask-newcomer", "/", "newcomer"),
    Page("ask-again", "/?from={answered}"),
    Page("answer", "/searches/{answered}"),
    Page("answer-citation", "/searches/{answered}?cite=1"),
    Page("answer-table", "/searches/{table}?cite=1"),
    Page("answer-disputed", "/searches/{disputed}"),
    Page("answer-shared", "/shared/{tampered}/{tampered_key}", "newcomer"),
    Page("answer-shared-disputed", "/shared/{disputed}/{disputed_key}", "newcomer"),
    Page("answer-tampered", "/searches/{tampered}?cite=1"),
    Page("answer-refused", "/searches/{unanswered}"),
    Page("answer-waiting", "/searches/{waiting}"),
    Page("answer-cancelled", "/searches/{cancelled}"),
    Page("answer-missing", "/searches/srch_aaaaaaaaaaaaaaaaaaaaaaaaaa", status=404),
    Page("searches", "/searches"),
    Page("searches-newcomer", "/searches", "newcomer"),
    Page("searches-nothing-matches", "/searches?contains=kestrels"),
)

DOCUMENTS: Final = {
    "https://docs.example.test/solar/notice": """# Example Solar annual notice

## Commissioning

The Example Solar plant was commissioned on 14 March 2024, after two years of building on former
pasture near the river. It has a nameplate capacity of 48.6 MW, and sheep graze below its rows.

## Output by year

The plant reports its output to the regulator every January. Output by year:

| Year | Output | Hours of sun |
|------|--------|--------------|
| 2024 | 51.2 GWh | 1,702 |
| 2025 | 74.9 GWh | 1,811 |

## Reading the meters

The meters answer on the local network:

```
curl http://meter-1.example.test/power
{"kilowatts": 31250}
```
""",
    "https://registry.example.test/plants/solar": """# Register of plants

The Example Solar plant was commissioned on 14 March 2024 and connected to the grid at 110 kV.
The entry was last checked by the regulator in May 2025.
""",
    "https://news.example.test/2024/03/solar": """# Solar plant opens

The mayor cut a ribbon, and a brass band played when the new solar plant opened in spring.
""",
    "https://docs.example.test/gateway": """# The solar gateway

The solar gateway listens on port 5432 by default.
""",
    "https://wiki.example.net/gateway": """# The solar gateway

The solar gateway listens on port 5433 by default.
""",
    "https://owls.example.test/eggs": """# Eggs of owls

A clutch of the barn owl holds four to seven eggs, which hatch after 30 days.
""",
}
QUESTION: Final = "When was the Example Solar plant commissioned?"
TAMPER: Final = "update snapshots set text = replace(text, 'four to seven', 'five to nine')"


def plant(site: "Site") -> None:
    for address, text in DOCUMENTS.items():
        builders.indexed_page(address, text)
    site.ids["unanswered"] = answered(site, "Who won the chess tournament of the river in 1843?")
    site.ids["table"] = answered(site, "What was the output of Example Solar by year?")
    site.ids["disputed"] = answered(site, "Which port does the solar gateway listen on by default?")
    site.ids["tampered"] = answered(site, "How many eggs are in a clutch of the barn owl?")
    with db.transaction() as tx:
        tx.execute(TAMPER)
    for name in ("tampered", "disputed"):
        site.ids[f"{name}_key"] = shared(site, site.ids[name])
    site.ids["answered"] = answered(site, QUESTION)
    site.ids["waiting"] = asked(site, "What is the nameplate capacity of Example Solar?")
    site.ids["cancelled"] = asked(site, "Which grid connection does Example Solar have?")
    site.api("POST", f"/external/v1/search/{site.ids['cancelled']}/cancel")


def shared(site: "Site", search_id: str) -> str:
    """The key of the link of an answer."""
    id = ids.internal(Noun.SEARCH, search_id)
    assert id is not None
    with db.transaction() as tx:
        searches.share(tx, site.account, id)
        return store.share_key(tx, site.account, id) or ""


def asked(site: "Site", question: str) -> str:
    """A search that waits for a worker."""
    made = site.api("POST", "/external/v1/search", {"query": question})
    return str(made["id"])


def answered(site: "Site", question: str) -> str:
    """A search that a worker has done."""
    search = asked(site, question)
    builders.work(site.settings, search)
    return search
