"""Ask a running server the questions a reader of a real manual would, and print what it says.

The answers are judged by a person; what a machine can check is checked here: every quote must be
the slice of the stored snapshot that its citation names.

    python -m bench.real_corpus --url $SERVICE_BASE_URL --key $SERVICE_API_KEY --set python
"""

import argparse
import hashlib
import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

# Each set was written before its first answer was seen. The last four of `python` and the last of
# the others are about things the manual does not cover. The others were kept aside and asked once;
# what the first of them showed was mended before the second was asked.
QUESTIONS = {
    "python": (
        "How do I read a CSV file?",
        "How can I copy a whole directory tree?",
        "How do I create a virtual environment?",
        "How do I capture the output of a subprocess?",
        "How do I parse a date string into a datetime?",
        "How do I sort a list in descending order?",
        "What is the default maxsize of lru_cache?",
        "What is the default encoding of open()?",
        "What is the default level of the root logger?",
        "Which command line option runs a module as a script?",
        "Which environment variable stops Python from writing .pyc files?",
        "Which function returns the number of CPUs?",
        "Which exception is raised when a dictionary key is not found?",
        "What is a context manager?",
        "What is the global interpreter lock?",
        "What is duck typing?",
        "How many digits can an integer have when it is converted to a string?",
        "Why does my default argument list keep its values between calls?",
        "When should I use a tuple instead of a list?",
        "What is the difference between a shallow and a deep copy?",
        "What is the difference between re.match and re.search?",
        "How do I merge two pandas DataFrames?",
        "What is the default port of Redis?",
        "Who won the football World Cup in 2018?",
        "How do I declare a private method in Java?",
    ),
    "postgresql": (
        "What is the default value of max_connections?",
        "How do I dump only the schema of a database?",
        "Which command shows the execution plan of a statement?",
        "What is write-ahead logging?",
        "What is the maximum length of an identifier?",
        "Why should I run VACUUM regularly?",
        "What is the difference between DELETE and TRUNCATE?",
        "How do I shard a MongoDB collection?",
    ),
    "postgresql-second": (
        "What is the default port the server listens on?",
        "How do I back up a whole database cluster?",
        "Which function returns the current date and time?",
        "What is a tablespace?",
        "What is the maximum number of columns in a table?",
        "When should I use a partial index?",
        "What is the difference between char and varchar?",
        "How do I create an index in Elasticsearch?",
    ),
    "git": (
        "How do I undo my last commit without losing my changes?",
        "Which command shows who last changed each line of a file?",
        "How do I put my unfinished changes away for a while?",
        "What is a bare repository?",
        "How long are reflog entries kept by default?",
        "What is the difference between git fetch and git pull?",
        "How do I rename a branch?",
        "How do I change the theme of Visual Studio Code?",
    ),
    "debian-policy": (
        "Where do configuration files belong?",
        "What is the difference between Depends and Recommends?",
        "What is an essential package?",
        "Which characters may the name of a package contain?",
        "Which script runs before a package is removed?",
        "Why may a package not put files into /usr/local?",
        "How do I write a spec file for an RPM package?",
    ),
}
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


def as_markdown(number: int, search: dict[str, Any], seconds: float, origin: str) -> Iterator[str]:
    """One question with its answer and sources."""
    yield f"### {number}. {search['query']}"
    yield ""
    result = search.get("result")
    if result is None:
        yield f"The search ended as {search['status']}: {search.get('error')}"
        return
    yield from (f"> {line}".rstrip() for line in result["answer"].splitlines())
    yield ""
    for citation in result["citations"]:
        source = result["sources"][citation["n"] - 1]
        place = f"{citation['start']}–{citation['end']}"
        yield f"- [{citation['n']}] {source['title']}, `{_page(source['url'], origin)}`, {place}"
        if citation["match"] != "exact":
            yield f"  quote: {citation['quote']!r}"
    yield f"- {seconds:.2f} s, " + ("answered" if result["answered"] else "abstained")
    yield ""


def _page(url: str, origin: str) -> str:
    return url.removeprefix(origin)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--url", required=True, help="SERVICE_BASE_URL of the running server")
    options.add_argument("--key", required=True, help="SERVICE_API_KEY")
    options.add_argument("--set", choices=QUESTIONS, default="python")
    options.add_argument("--origin", default="", help="left out of the addresses that are shown")
    chosen = options.parse_args()
    client, checked, answered, took = Client(chosen.url, chosen.key), Checked(), 0, []
    questions = QUESTIONS[chosen.set]
    for number, question in enumerate(questions, start=1):
        began = time.monotonic()
        search = client.search(question)
        took.append(time.monotonic() - began)
        print("\n".join(as_markdown(number, search, took[-1], chosen.origin)))
        if "result" in search:
            answered += search["result"]["answered"]
            check(client, search, checked)
    print(
        f"{len(questions)} questions, {answered} answered; {checked.quotes} quotes, "
        f"{checked.verbatim} verbatim slices of their snapshots, {checked.hashes} with the hash "
        f"of the snapshot; {sorted(took)[len(took) // 2]:.2f} s median, {max(took):.2f} s slowest."
    )


if __name__ == "__main__":
    main()
