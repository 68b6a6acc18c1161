"""nDCG@10 of the order of sources that a search returns, on two judged collections.

    OPENBLAS_NUM_THREADS=1 python -m bench.source_order [--quick] [--parts] [--floors]

Every document is indexed as a page in a real Postgres; every judged query is a request to the API
with `max_sources` 20, and the worker's own code does the search. What counts is the order of
`sources` in the result: the cited first, then the others. With the packaged model where it is
installed, and by words alone. A few are sent over HTTP as well, and must come back the same.

`--parts` ranks the candidates of those searches again with parts of the ranking changed or left
out; there none is cited. `--floors` takes few queries and exits 1 below what they have reached.
Vectors of a collection take minutes and are kept in bench/out.
"""

import argparse
import http.client
import json
import logging
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from flask.testing import FlaskClient
from werkzeug.serving import make_server

from app.core import db
from app.core.config.settings import Settings
from app.engine.search import rank
from app.engine.search.demotion import Demotion
from app.engine.search.interface import IndexStats
from app.engine.search.query import Query
from app.engine.search.rank import PassageCandidate, RankedPassage, collapse, rescore
from app.engine.semantic.embedder import embedder_for
from app.wsgi import create_app
from bench import judged_pages, recombined
from bench.figures import Aim, conclude, ndcg, table
from tests import builders, servers
from workers.index.embeddings import embedders_of
from workers.searches import candidates

PATH = "/external/v1/search"
NO_LIMIT = "1000000/minute"
OVER_HTTP = 5
NO_BONUS = {"LEXICAL_BONUS": 0.0, "FUSED_BONUS": 0.0}
# The ranking with some of its numbers changed.
PARTS: dict[str, Mapping[str, Any]] = {
    "as it is": {},
    "BM25 alone": {**NO_BONUS, "FUSION": 0.0, "DEFINITION_BONUS": 0.0},
    "the cosine alone": {**NO_BONUS, "FUSION": 1.0, "DEFINITION_BONUS": 0.0},
    "share of the cosine .6": {"FUSION": 0.6},
    "share .7": {"FUSION": 0.7},
    "share .9": {"FUSION": 0.9},
    "without sentence, neighbours, headings": NO_BONUS,
    "bonus .10 with meaning": {"FUSED_BONUS": 0.1},
    "bonus .20 with meaning": {"FUSED_BONUS": 0.2},
    "without the best sentence": {"SENTENCE": 0.0},
    "without neighbouring words": {"BIGRAM": 0.0},
    "without headings": {"HEADED": 0.0},
    "without definitions": {"DEFINITION_BONUS": 0.0},
    "without contents pages and news": {"standing": True},
    "50 compared": {"pool": 50},
    "120 compared": {"pool": 120},
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one search ranked."""

    query: Query
    candidates: Sequence[PassageCandidate]
    stats: IndexStats
    most: int


@dataclass(slots=True)
class Asking:
    """An account that searches, and the worker; `rankings` are noted while it does."""

    client: FlaskClient
    settings: Settings
    key: dict[str, str]
    rankings: list[Ranking] = field(default_factory=list)

    def sources(self, question: str) -> list[str]:
        """The documents in the order of the result's sources."""
        body = {"query": question, "max_sources": 20}
        created = self.client.post(PATH, json=body, headers=self.key)
        assert created.status_code == 202, created.json
        search_id = created.get_json()["id"]
        with patch.object(candidates, "rescore", self._rescore):
            builders.work(self.settings, search_id)
        found = self.client.get(f"{PATH}/{search_id}", headers=self.key).get_json()
        return _documents(found)

    def _rescore(
        self,
        query: Query,
        given: Sequence[PassageCandidate],
        stats: IndexStats,
        most: int,
    ) -> list[RankedPassage]:
        self.rankings.append(Ranking(query, given, stats, most))
        return rescore(query, given, stats, most)

    def over_http(self, question: str) -> list[str]:
        """The same through a socket."""
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = make_server("127.0.0.1", 0, self.client.application)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            body = json.dumps({"query": question, "max_sources": 20})
            created = self._request(server.port, "POST", PATH, body)
            builders.work(self.settings, created["id"])
            return _documents(self._request(server.port, "GET", f"{PATH}/{created['id']}"))
        finally:
            server.shutdown()
            thread.join()

    def _request(self, port: int, method: str, path: str, body: str | None = None) -> Any:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        line.request(method, path, body, {**self.key, "Content-Type": "application/json"})
        return json.loads(line.getresponse().read())


def _documents(search: Mapping[str, Any]) -> list[str]:
    sources = search["result"]["sources"]
    return [urlsplit(source["url"]).path.strip("/") for source in sources]


@contextmanager
def service() -> Iterator[Settings]:
    """Empty servers, and settings over them."""
    with servers.redis() as redis, servers.postgres() as server, servers.database(server) as url:
        db.open(url, forgetful=2)
        yield Settings(
            database_url=url,
            redis_url=redis.url(),
            secret_key="x" * 32,
            rate_limit_write=NO_LIMIT,
            rate_limit_read=NO_LIMIT,
            embeddings_packaged=True,
            embeddings_search_seconds=0.0,
        )
        db.close()


def asking(settings: Settings) -> Asking:
    app = create_app(settings)
    with db.transaction() as tx:
        account = builders.account(tx, f"{settings.embeddings_packaged}@example.org")
        key = builders.api_key(tx, settings, account)
    return Asking(app.test_client(), settings, {"X-API-Key": key})


def words(settings: Settings) -> Settings:
    return replace(settings, embeddings_packaged=False)


def judged(name: str, most: int | None = None) -> list[tuple[str, dict[str, int]]]:
    """Questions and the grades of their documents."""
    grades = recombined.grades(name)
    queries = [x for x in recombined.lines(name, "queries.jsonl") if x["id"] in grades]
    return [(x["text"], grades[x["id"]]) for x in queries[:most]]


def reached(asking: Asking, questions: Sequence[tuple[str, dict[str, int]]]) -> float:
    return mean(ndcg(asking.sources(text), grades) for text, grades in questions)


def measure(name: str, *, parts: bool) -> dict[str, list[float]]:
    """nDCG@10 by words and, where there is a model, with meaning; of each part, if wanted."""
    with service() as settings:
        judged_pages.index(name)
        forms, embedder = [asking(words(settings))], embedder_for(embedders_of(settings), "en")
        if embedder is not None:
            judged_pages.embed(name, embedder)
            forms.append(asking(settings))
        questions = judged(name)
        found = {"sources of the API": [reached(form, questions) for form in forms]}
        for text, _ in questions[:OVER_HTTP]:
            assert forms[-1].over_http(text) == forms[-1].sources(text)
        for part, numbers in PARTS.items() if parts else ():
            found[part] = [ranked_again(form, questions, numbers) for form in forms]
            print(name, part, found[part], flush=True)
        return found


def ranked_again(
    asking: Asking,
    questions: Sequence[tuple[str, dict[str, int]]],
    numbers: Mapping[str, Any],
) -> float:
    """The order of the first search of each question, with some numbers of `rank` changed."""
    numbers = dict(numbers)
    pool, standing = numbers.pop("pool", None), numbers.pop("standing", None)
    with ExitStack() as changed:
        if standing:
            changed.enter_context(patch.object(Demotion, "of", lambda *_: 1.0))
        for name, value in numbers.items():
            changed.enter_context(patch.object(rank, name, value))
        return mean(
            ndcg(_ranked(x, pool), grades)
            for x, (_, grades) in zip(asking.rankings, questions, strict=False)
        )


def _ranked(x: Ranking, pool: int | None) -> list[str]:
    ranked = collapse(rescore(x.query, x.candidates[:pool], x.stats, x.most))
    return list(dict.fromkeys((y.passage.url or "").rpartition("/")[2] for y in ranked))


@dataclass(frozen=True, slots=True)
class Few:
    """So many queries of a collection, over what answers them and one in `every` other document;
    the least nDCG@10 by words, and with meaning where embedding that is a matter of seconds."""

    queries: int
    every: int
    least_by_words: float
    least_with_meaning: float | None = None


FEW = {"cranfield": Few(50, 2, 0.445), "vaswani": Few(8, 80, 0.765, 0.82)}


def floors() -> int:
    """Words on both collections; meaning where embedding is a matter of seconds."""
    low = []
    for name, few in FEW.items():
        with service() as settings:
            judged_pages.index(name, _needed(name, few))
            questions = judged(name, few.queries)
            by_words = reached(asking(words(settings)), questions)
            print(f"{name:<12}{few.queries:>4} queries, by words {by_words:.4f}")
            low += [name] if by_words < few.least_by_words else []
            embedder = embedder_for(embedders_of(settings), "en")
            if embedder is None:
                print(f"{'':<12}     meaning skipped: the packaged model is not installed")
            elif few.least_with_meaning is None:
                print(f"{'':<12}     meaning skipped: embedding it takes minutes")
            else:
                judged_pages.embed(name, embedder)
                with_meaning = reached(asking(settings), questions)
                print(f"{'':<12}     and by meaning {with_meaning:.4f}")
                low += [f"{name} with meaning"] if with_meaning < few.least_with_meaning else []
    for name in low:
        print(f"below the floor: {name}")
    return 1 if low else 0


def _needed(name: str, few: Few) -> frozenset[str]:
    relevant = {document for _, grades in judged(name, few.queries) for document in grades}
    others = [x["id"] for x in recombined.lines(name, "docs.jsonl")][:: few.every]
    return frozenset({*relevant, *others})


AIMS = {"cranfield": (0.39, 0.44), "vaswani": (0.44, 0.51)}  # by words, with meaning


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the smaller collection")
    parser.add_argument("--parts", action="store_true", help="with each part changed or left out")
    parser.add_argument("--floors", action="store_true", help="few queries; exit 1 below floors")
    chosen = parser.parse_args()
    names = [x for x in AIMS if (recombined.DATA / f"{x}.tar.xz").exists()]
    if not names:
        print(f"skipped: {recombined.DATA} holds no collection")
        return 0
    if chosen.floors:
        return floors()
    names = names[:1] if chosen.quick else names
    found = {name: measure(name, parts=chosen.parts) for name in names}
    forms = ["words", "meaning"][: len(found[names[0]]["sources of the API"])]
    columns = [f"{name}, {form}" for name in names for form in forms]
    rows = [
        (part, *(f"{x:.4f}" for name in names for x in found[name][part]))
        for part in found[names[0]]
    ]
    table(["nDCG@10", *columns], rows)
    aims = [
        Aim(f"{name}, {form}", figure, ">=", aim)
        for name in names
        for form, figure, aim in zip(
            forms, found[name]["sources of the API"], AIMS[name], strict=False
        )
    ]
    conclude("source_order", aims, ndcg=found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
