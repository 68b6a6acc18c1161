"""A real OpenSearch follows Postgres: built, rebuilt, told of changes, and with a node killed."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.passages import changes
from app.engine.search.query import parse
from app.local.doctor import index as doctor
from tests import builders
from tests.interop.opensearch.nodes import Node, cluster
from tests.remote_index import add, rebuild, remove, run
from tests.servers import until
from workers.searches import indexes

pytestmark = [pytest.mark.interop, pytest.mark.timeout(1_800)]

WORDS = ("mice", "owls", "barley", "rye", "oats", "wheat", "hares")


def over(settings: Settings, url: str) -> Settings:
    """As on a slow machine; each test has indexes of its own."""
    prefix = f"following-{uuid4().hex}-"
    return replace(settings, index_url=url, index_prefix=prefix, index_timeout_seconds=60.0)


@pytest.fixture
def following(settings: Settings, node: Node) -> Settings:
    return over(settings, node.url)


def find(settings: Settings, words: str) -> indexes.IndexMatches:
    return indexes.find(settings, parse(words, ["en"]), 10)


def finds_the_same(settings: Settings, words: str) -> bool:
    """As Postgres does, by ids and scores, and without any warning."""
    here, there = find(replace(settings, index_url=""), words), find(settings, words)
    assert there.warnings == ()
    return [hit.passage_id for hit in here.hits] == [hit.passage_id for hit in there.hits] and (
        [hit.score for hit in there.hits] == pytest.approx([hit.score for hit in here.hits])
    )


def matches(settings: Settings) -> bool:
    """As `doctor` sees it: available, up to date and holding the same."""
    return [finding.verdict for finding in doctor.examine(settings)] == ["ok", "ok", "ok"]


def send(settings: Settings) -> None:
    """Until the index has all changes, however often the server refuses them."""

    def sent() -> bool:
        with db.transaction() as tx:
            tx.execute("update jobs set run_at = now() where state = 'queued'")
        with db.reading() as reader:
            waiting = db.values(
                reader, "select id from jobs where kind = 'index.send' and state = 'queued'"
            )
        if waiting:
            builders.run(settings, waiting)
        else:
            run(settings, changes.SEND)
        with db.reading() as reader:
            lag = changes.lag(reader)
        return lag is not None and lag.passages == 0

    until(sent)


def test_a_built_index_holds_and_finds_what_postgres_does(following: Settings) -> None:
    sources = [add(f"{word} and {other}") for word in WORDS for other in WORDS]
    rebuild(following)
    for source in sources[::3]:
        remove(source)
    add("owls in the rye", sources[1])
    send(following)
    assert matches(following)
    assert all(finds_the_same(following, word) for word in WORDS)


def test_searches_find_all_while_it_is_rebuilt(following: Settings) -> None:
    for word in WORDS:
        add(word)
    rebuild(following)
    over = threading.Event()

    def search() -> list[tuple[int, tuple[str, ...]]]:
        found = []
        while not over.is_set():
            answer = find(following, "owls")
            found.append((len(answer.hits), answer.warnings))
        return found

    with ThreadPoolExecutor(2) as pool:
        searching = [pool.submit(search) for _ in range(2)]
        try:
            for n in range(3):
                add(f"hares {n}")
                rebuild(following)
        finally:
            over.set()
        answers = {answer for each in searching for answer in each.result()}
    assert answers == {(1, ())}
    send(following)
    assert matches(following)


@pytest.fixture
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Node]]:
    with cluster(tmp_path_factory.mktemp("three"), 3) as nodes:
        yield nodes


def holder(nodes: Sequence[Node], settings: Settings) -> Node:
    """The node with the primary copy of the index, once another node has one as well."""
    until(lambda: nodes[0].get("/_cluster/health")["status"] == "green")
    shards = nodes[0].get(f"/_cat/shards/{settings.index_prefix}*?format=json")
    (name,) = {shard["node"] for shard in shards if shard["prirep"] == "p"}
    return next(node for node in nodes if node.name == name)


def test_a_killed_node_loses_no_passage(settings: Settings, three: Sequence[Node]) -> None:
    following = over(settings, three[0].url)
    sources: list[UUID] = [add(f"{word} and {other}") for word in WORDS for other in WORDS]
    rebuild(following)
    lost = holder(three, following)
    left = next(node for node in three if node is not lost)
    following = replace(following, index_url=left.url)
    lost.kill()
    for source in sources[::2]:
        remove(source)
    add("owls in the rye")
    assert find(following, "owls").hits
    send(following)
    until(lambda: matches(following))
    assert all(finds_the_same(following, word) for word in WORDS)


def test_postgres_answers_where_all_nodes_were_killed(
    settings: Settings, three: Sequence[Node]
) -> None:
    following = over(settings, three[0].url)
    add("owls")
    rebuild(following)
    assert find(following, "owls").warnings == ()
    for node in three:
        node.kill()
    answer = find(following, "owls")
    assert (len(answer.hits), answer.warnings) == (1, (indexes.AWAY,))
