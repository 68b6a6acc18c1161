"""Nothing that is imported lets a body of brackets end the process (py_ecc would)."""

import subprocess
import sys

import pytest

DEEP = """
import json, sys
try:
    json.loads("[" * 200_000)
except RecursionError:
    print("refused")
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import citegrid.paid",
        "import app.wsgi",
        "import workers.queue.celery",
        "import app.domains.money.payments.x402.rail",
    ],
)
def test_deep_json_is_an_error_and_no_crash(imports: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", imports + DEEP], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr


READERS = {
    "a body": "app.core.http.request_parser:loads",
    "an answer of a service or a model": "app.core.untrusted_json:loads",
    "JSON-LD": "app.engine.pages.blocks.structured:load",
    "a string of JSON in a page": "app.engine.extraction.values.texts:json_string",
    "a reply of a model": "app.engine.answer.written.draft:json_object",
    "a webhook": "citegrid.webhooks:_event",
    "an answer of the server": "citegrid.transport.untrusted_json:loads",
}
RAISED = """
import pkgutil, sys
read = pkgutil.resolve_name(sys.argv[1])
sys.setrecursionlimit(100_000)
for deep in ('[' * 200_000, '{"a":' * 200_000, '{"a":' + '[' * 200_000 + ']' * 200_000 + '}'):
    text = deep.encode() if sys.argv[2] else deep
    try:
        assert read(text) is None
    except Exception as error:
        assert not isinstance(error, AssertionError | MemoryError), error
print("refused")
"""


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_no_reader_of_strangers_depends_on_the_recursion_limit(reader: str) -> None:
    takes_bytes = "1" if reader.endswith(("parsing:loads", "webhooks:_event")) else ""
    ended = subprocess.run(
        [sys.executable, "-c", RAISED, reader, takes_bytes],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr
