"""The chat in `examples`, as its reader starts it."""

import os
import subprocess
import sys

from tests.chatting import MODEL
from tests.deployed import ROOT
from tests.integration.chats.conftest import Stage
from tests.patience import PATIENCE_SECONDS


def chat(stage: Stage, model: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / "openai_chat.py", model, "hi"],
        env={
            "PATH": os.environ["PATH"],
            "SERVICE_BASE_URL": stage.base,
            "SERVICE_API_KEY": stage.key,
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def test_the_answer_is_printed_with_its_cost(answering: Stage) -> None:
    done = chat(answering, MODEL)
    assert done.stdout == "Hello world", done.stderr
    assert done.stderr == "\nIt cost 0.000013 USD.\n"


def test_a_model_that_nobody_offers_is_named(answering: Stage) -> None:
    done = chat(answering, "example/none")
    assert done.returncode == 1
    assert done.stderr.startswith("model_not_found: ")
