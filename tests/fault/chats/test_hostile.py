"""Nodes that send what they should not: the chats of others notice nothing."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

from tests import servers
from tests.chatting import Work, text
from tests.fault import report
from tests.fault.chatting import Stage

WORDS = [f" word{n}" for n in range(20)]
BEYOND = "select count(*) from chats where cost > max_cost"


@pytest.fixture(autouse=True)
def scripted(stage: Stage) -> None:
    stage.node.script = play


def play(work: Work) -> None:
    """The node does what the prompt says."""
    SCRIPTS[work.messages[-1]["content"]](work)


def honest(work: Work) -> None:
    work.say(*WORDS, usage=(9, len(WORDS)))


def garbage(work: Work) -> None:
    work.push(text("a"))
    work.push({"choices": [{"delta": {"content": {"html": "<b>"}}}]})


def gap(work: Work) -> None:
    work.push(text("a"))
    work.push(text("b"), seq=5)


def failing(work: Work) -> None:
    work.push(text("a"))
    work.fail("backend_unavailable")


def flood(work: Work) -> None:
    assert work.push(text("x" * (10 << 20)))[0] == 413
    work.push(text("b"), seq=7)  # before anything was said


def greedy(work: Work) -> None:
    """Counts tokens that cannot have been."""
    work.say("Hello", usage=(10**6, 10**6))


def silent(work: Work) -> None:
    work.push(text("a"))


HOSTILE = {"garbage": garbage, "gap": gap, "failing": failing, "flood": flood, "greedy": greedy}
SCRIPTS = {"honest": honest, "silent": silent, **HOSTILE}


def outcome(stage: Stage, content: str) -> tuple[str, str]:
    try:
        read = "".join(chunk.choices[0].delta.content or "" for chunk in stage.stream(content))
    except openai.APIError as error:
        return content, str(error.code)
    return content, "whole" if content != "honest" or read == "".join(WORDS) else "damaged"


def test_nodes_that_fail_in_any_way_harm_no_other_chat(stage: Stage, long: bool) -> None:
    rounds, kinds = (40, [*HOSTILE, "silent"]) if long else (3, [*HOSTILE])
    wanted = [content for kind in kinds for content in (kind, "honest")] * rounds
    with ThreadPoolExecutor(8) as pool:
        outcomes = Counter(pool.map(lambda content: outcome(stage, content), wanted))
    servers.until(stage.nothing_is_held)
    ends = {"flood": "provider_not_responding", "greedy": "whole"}
    assert outcomes == {
        ("honest", "whole"): rounds * len(kinds),
        **{(kind, ends.get(kind, "provider_failed")): rounds for kind in kinds},
    }
    assert stage.one(BEYOND) == 0
    report.notes.append(
        f"Chats of nodes that send {', '.join(kinds)}: {rounds} each, none charged beyond its hold;"
        f" {rounds * len(kinds)} honest ones beside them, all whole"
    )
