"""Documents are read once and whole, whatever dies meanwhile."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from app.core import db
from app.domains.library.documents import service as documents
from app.domains.library.documents.quota import Quota
from app.domains.library.documents.store import Upload
from app.domains.library.sites import service as sites
from app.local.embedded.supervisor import Program
from tests import servers
from tests.fault import load as loads
from tests.fault.document_stages import DELETING, PASSES, READING
from tests.fault.stage import CHILDREN, Stage, children, read, run_as_owner
from tests.internet import Internet, running

DOCUMENTS, ACCOUNT = 16, loads.ACCOUNTS[0]
QUOTA = Quota(documents=1_000, bytes=1 << 30, passages=1 << 30, uploads=1 << 30)
CLEAR = """
    truncate own_corpora, own_sites, documents, passages, snapshots, deaths, lexical_generations,
             lexical_counts, lexical_passages, lexical_dead, lexical_fresh, lexical_blocks cascade
    """
UNFINISHED = """
    select (select count(*) from jobs where finished_at is null and kind ~ '^(documents|sites)')
         + (select count(*) from deaths)
    """
STATES = "select state, version, count(*) from documents group by 1, 2 order by 1, 2"
# Documents that are in part among the passages or in the index, or in two versions at once.
HALVES = """
    select count(*) from (
        select documents.id from documents
        left join passages on passages.source_id = documents.id
        left join lexical_passages on lexical_passages.passage_id = passages.id
        group by documents.id
        having count(passages.id) <> documents.passages
            or count(lexical_passages.passage_id) <> documents.passages
            or count(distinct passages.snapshot_id) > 1
    ) as halves
    """
INDEXED = "select count(*), count(distinct source_id) from passages"
COUNTED = "select sum(passages) from lexical_counts"


@pytest.fixture
def internet() -> Iterator[Internet]:
    with running() as internet:
        yield internet


@pytest.fixture
def workers(bare_stage: Stage, internet: Internet) -> Iterator[list[Program]]:
    """Two workers of the product that die where `deaths` names it, and a dispatcher."""
    run_as_owner(CLEAR)
    reach = {"EXTRACT_FETCH_ALLOW": f"127.0.0.1:{internet.port}", "FETCH_GAP_SECONDS": "0"}
    readers = [bare_stage.documents_worker(number, **reach) for number in range(2)]
    programs = [*readers, bare_stage.product("none")[1]]
    for program in programs:
        program.start()
    servers.until(lambda: all(len(children(p)) == CHILDREN for p in programs[:2]))
    yield programs
    for program in programs:
        program.kill()


def content(n: int, version: int) -> Upload:
    """Several passages."""
    sections = [
        f"## Part {part} of {n}\n\n" + f"The owl {n} of version {version} hunts mice. " * 60
        for part in range(4)
    ]
    body = "\n\n".join([f"# Owl {n}", *sections]).encode()
    return Upload("text/markdown", None, body, documents.content_hash(body))


def corpus() -> UUID:
    return read(lambda tx: documents.create(tx, ACCOUNT, "owls")).id


def upload(corpus_id: UUID, n: int, version: int) -> None:
    read(lambda tx: documents.put(tx, ACCOUNT, corpus_id, f"{n}.md", content(n, version), QUOTA))


def condemn(deaths: tuple[str, ...]) -> None:
    read(lambda tx: [tx.execute("insert into deaths values (%s)", (death,)) for death in deaths])


def settled() -> bool:
    """True when nothing waits any more. At no time is a document there in part."""
    assert read(lambda tx: db.value(tx, HALVES)) == 0
    return not read(lambda tx: db.value(tx, UNFINISHED))


def test_each_version_is_read_once_when_a_process_dies_at_each_step(
    workers: list[Program],
) -> None:
    condemn(READING)
    corpus_id = corpus()
    for n in range(DOCUMENTS):
        upload(corpus_id, n, 1)
    for n in range(0, DOCUMENTS, 2):
        upload(corpus_id, n, 2)
    servers.until(settled)
    half = DOCUMENTS // 2
    states = [("ready", 1, half), ("ready", 2, half)]
    assert read(lambda tx: tx.execute(STATES).fetchall()) == states
    passages, sources = read(lambda tx: tx.execute(INDEXED).fetchall())[0]
    assert sources == DOCUMENTS
    assert read(lambda tx: db.value(tx, COUNTED)) == passages


def test_a_corpus_is_deleted_whole_when_a_process_dies_over_it(workers: list[Program]) -> None:
    corpus_id = corpus()
    for n in range(DOCUMENTS):
        upload(corpus_id, n, 1)
    servers.until(settled)
    condemn(DELETING)
    read(lambda tx: documents.delete(tx, ACCOUNT, corpus_id))
    servers.until(settled)
    assert read(lambda tx: tx.execute(INDEXED).fetchall()) == [(0, 0)]
    assert read(lambda tx: db.value(tx, "select count(*) from own_corpora")) == 0
    assert not read(lambda tx: db.value(tx, COUNTED))


def publish(internet: Internet, version: int) -> None:
    """A site whose pages say the version; the last page is there in the first one alone."""
    links = "".join(f"<a href='/{n}'>{n}</a> " for n in range(DOCUMENTS))
    internet.page("/", f"Owls. All owls of version {version}.\n\n{links}")
    for n in range(DOCUMENTS):
        internet.page(f"/{n}", f"Owl {n}. The owl {n} of version {version} hunts mice at night.")
    if version > 1:
        internet.pages[f"/{DOCUMENTS - 1}"] = 404, {}, b""


def test_a_site_is_read_whole_when_a_process_dies_at_each_step(
    workers: list[Program], internet: Internet
) -> None:
    publish(internet, 1)
    corpus_id = corpus()
    given = {
        "url": f"{internet.url}/", "kind": "site", "include_paths": [], "exclude_paths": [],
        "max_pages": 1_000, "refresh": None,
    }  # fmt: skip
    condemn(PASSES[0])
    site = read(lambda tx: sites.create(tx, ACCOUNT, corpus_id, given))
    servers.until(settled)
    assert read(lambda tx: tx.execute(STATES).fetchall()) == [("ready", 1, DOCUMENTS + 1)]
    for version, deaths in enumerate(PASSES[1:], start=2):
        publish(internet, version)
        condemn(deaths)
        read(lambda tx: sites.refresh(tx, ACCOUNT, corpus_id, site.id))
        servers.until(settled)
        assert read(lambda tx: tx.execute(STATES).fetchall()) == [("ready", version, DOCUMENTS)]
    passages, found = read(lambda tx: tx.execute(INDEXED).fetchall())[0]
    assert found == DOCUMENTS
    assert read(lambda tx: db.value(tx, COUNTED)) == passages
    condemn(DELETING)
    read(lambda tx: sites.delete(tx, ACCOUNT, corpus_id, site.id))
    servers.until(settled)
    assert read(lambda tx: tx.execute(INDEXED).fetchall()) == [(0, 0)]
    assert read(lambda tx: db.value(tx, "select documents from own_corpora")) == 0
