"""Ask a running server the questions a reader of a real manual would, and print what it says.

The answers are judged by a person; what a machine can check is checked here: every quote must be
the slice of the stored snapshot that its citation names.

    python -m bench.real_corpus --url $SERVICE_BASE_URL --key $SERVICE_API_KEY --set citegrid
    python -m bench.real_corpus ... --set sqlite --json new.json
    python -m bench.real_corpus --blind old.json new.json sheet.md key.json

`--blind` needs no server: it writes the answers of two runs side by side, each pair in an order of
its own, for a reader who does not know which is which; the key says it. `bench.verdicts` counts
what the readers say.
"""

import argparse
import hashlib
import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench import blind
from bench.questions import QUESTIONS

WAIT_SECONDS = 30


@dataclass
class Client:
    """The search API, as any caller sees it."""

    url: str
    key: str
    _connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = kind(parts.netloc, timeout=WAIT_SECONDS + 10)

    def search(self, query: str) -> dict[str, Any]:
        """A finished search."""
        accepted = self._call("POST", "/external/v1/search", {"query": query})
        while True:
            search = self._call("GET", f"/external/v1/search/{accepted['id']}?wait={WAIT_SECONDS}")
            if search["status"] not in ("pending", "running"):
                return search

    def snapshot(self, search_id: str, n: int) -> dict[str, Any]:
        return self._call("GET", f"/external/v1/search/{search_id}/sources/{n}/snapshot")

    def _call(self, method: str, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        headers = {"X-API-Key": self.key, "Content-Type": "application/json"}
        sent = json.dumps(body) if body is not None else None
        self._connection.request(method, path, sent, headers)
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status >= 300:
            raise SystemExit(f"{method} {path}: {response.status} {answer}")
        return answer


@dataclass
class Checked:
    """How many quotes are what their citations say."""

    quotes: int = 0
    verbatim: int = 0
    hashes: int = 0


def check(client: Client, search: dict[str, Any], checked: Checked) -> None:
    """Fetch the snapshot of every citation, hash it, cut the slice, compare."""
    result = search["result"]
    sources = {source["n"]: source for source in result["sources"]}
    for citation in result["citations"]:
        snapshot = client.snapshot(search["id"], citation["source"])
        text = snapshot["text"]
        digest = hashlib.sha256(text.encode()).hexdigest()
        checked.quotes += 1
        checked.verbatim += text[citation["start"] : citation["end"]] == citation["quote"]
        checked.hashes += sources[citation["source"]]["content_hash"].endswith(digest)


@dataclass(frozen=True)
class Asked:
    """One question and what came of it; of older versions some fields are not known."""

    question: str
    answered: bool
    answer: str
    words: int
    confidence: float | None
    seconds: float
    citations: list[dict[str, Any]]

    @classmethod
    def of(cls, search: dict[str, Any], seconds: float, origin: str) -> "Asked":
        result = search.get("result")
        if result is None:
            failed = f"The search ended as {search['status']}: {search.get('error')}"
            return cls(search["query"], False, failed, 0, None, seconds, [])
        return cls(
            question=search["query"],
            answered=result["answered"],
            answer=result["answer"],
            words=len(blind.plain(result["answer"]).split()) if result["answered"] else 0,
            confidence=result.get("confidence"),
            seconds=round(seconds, 2),
            citations=[
                _citation(cited, result["sources"], origin) for cited in result["citations"]
            ],
        )


def _citation(
    citation: dict[str, Any], sources: list[dict[str, Any]], origin: str
) -> dict[str, Any]:
    """A citation with the page it is from, and the words that lead it."""
    page = sources[citation["n"] - 1]
    cited = {name: citation[name] for name in ("n", "start", "end", "quote", "match")}
    if "lead_start" in citation:
        begins, ends = citation["lead_start"], citation["lead_end"]
        cited["lead"] = citation["quote"][begins - citation["start"] : ends - citation["start"]]
    return {**cited, "title": page["title"], "page": page["url"].removeprefix(origin)}


def as_markdown(number: int, asked: Asked) -> Iterator[str]:
    """One question with its answer and what it cites."""
    yield f"### {number}. {asked.question}"
    yield ""
    yield from (f"> {line}".rstrip() for line in asked.answer.splitlines())
    yield ""
    for cited in asked.citations:
        place = f"{cited['start']}–{cited['end']}"
        yield f"- [{cited['n']}] {cited['title']}, `{cited['page']}`, {place}"
        if cited.get("lead", cited["quote"]) != cited["quote"]:
            yield f"  lead: {cited['lead']!r}"
        if cited["match"] != "exact":
            yield f"  quote: {cited['quote']!r}"
    verdict = "answered" if asked.answered else "abstained"
    sure = "" if asked.confidence is None else f", confidence {asked.confidence:.2f}"
    yield f"- {verdict}{sure}, {asked.words} words, {asked.seconds:.2f} s"
    yield ""


def ask(client: Client, name: str, origin: str) -> list[Asked]:
    """Ask a set, print each answer as it comes, and what could be checked at the end."""
    asked: list[Asked] = []
    checked = Checked()
    for number, question in enumerate(QUESTIONS[name], start=1):
        began = time.monotonic()
        search = client.search(question)
        asked.append(Asked.of(search, time.monotonic() - began, origin))
        print("\n".join(as_markdown(number, asked[-1])), flush=True)
        if "result" in search:
            check(client, search, checked)
    print(summary(asked, checked))
    return asked


def summary(asked: list[Asked], checked: Checked) -> str:
    words = sorted(each.words for each in asked if each.answered) or [0]
    took = sorted(each.seconds for each in asked)
    return (
        f"{len(asked)} questions, {sum(each.answered for each in asked)} answered, "
        f"{words[len(words) // 2]} words in the median, {words[-1]} at most; "
        f"{checked.quotes} quotes, {checked.verbatim} verbatim slices of their snapshots, "
        f"{checked.hashes} with the hash of the snapshot; "
        f"{took[len(took) // 2]:.2f} s median, {took[-1]:.2f} s slowest."
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--url", help="SERVICE_BASE_URL of the running server")
    options.add_argument("--key", help="SERVICE_API_KEY")
    options.add_argument("--set", choices=QUESTIONS, default="citegrid")
    options.add_argument("--origin", default="", help="left out of the addresses that are shown")
    options.add_argument("--json", type=Path, metavar="FILE", help="write the answers there too")
    options.add_argument(
        "--blind", nargs=4, type=Path, metavar=("OLD.json", "NEW.json", "SHEET.md", "KEY.json")
    )
    chosen = options.parse_args()
    if chosen.blind:
        blind.write(*chosen.blind)
        return
    if not (chosen.url and chosen.key):
        options.error("--url and --key are needed to ask")
    asked = ask(Client(chosen.url, chosen.key), chosen.set, chosen.origin)
    if chosen.json:
        written = {"set": chosen.set, "questions": [asdict(each) for each in asked]}
        chosen.json.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
