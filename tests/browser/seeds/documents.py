"""Documents of one's own: read, waiting and failed ones."""

from typing import TYPE_CHECKING

from app.core import db, ids
from app.core.ids import Noun
from tests.browser.pages import Page
from tests.integration.documents.conftest import OWLS, read_all

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("documents", "/documents"),
    Page("documents-empty", "/documents", "newcomer"),
    Page("corpus-of-ones-own", "/documents/{own_corpus}"),
    Page("site-of-ones-own", "/documents/{own_corpus}/sites/{own_site}"),
    Page("corpus-without-documents", "/documents/{empty_corpus}"),
    Page("corpus-of-others", "/documents/corp_aaaaaaaaaaaaaaaaaaaaaaaaaa", status=404),
)

# A page that was read, and two that were not.
_VISITED = """
    insert into site_pages (site_id, url, depth, waiting, outcome)
    select %s, 'https://birds.example.org/docs/' || path, 1, false, outcome
    from (values ('owls', 'indexed'), ('old', 'http_404'), ('a/very/long/way', 'timeout'))
        as visited (path, outcome)
    """


def plant(site: "Site") -> None:
    corpus = site.ids["own_corpus"] = site.api("POST", "/v1/corpora", {"name": "handbook"})["id"]
    site.ids["empty_corpus"] = site.api("POST", "/v1/corpora", {"name": "notes"})["id"]
    _put(site, corpus, "guides/barn-owls.md", OWLS)
    _put(site, corpus, "scan of an old and very long agreement between several parties.pdf", "%PDF")
    read_all(site.app.extensions["settings"])
    _put(site, corpus, "guides/mice.md", "# Mice\n\nA mouse eats barley.\n")
    wanted = {"url": "https://birds.example.org/docs/", "refresh": "daily"}
    site.ids["own_site"] = site.api("POST", f"/v1/corpora/{corpus}/sites", wanted)["id"]
    with db.transaction() as tx:
        tx.execute(_VISITED, [ids.lookup(Noun.SITE, site.ids["own_site"])])


def _put(site: "Site", corpus: str, key: str, text: str) -> None:
    headers = {"Authorization": f"Bearer {site.tokens['account']}"}
    client = site.app.test_client()
    answer = client.put(f"/v1/corpora/{corpus}/documents/{key}", data=text, headers=headers)
    assert answer.status_code == 202, answer.get_json()
