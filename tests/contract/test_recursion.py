"""Nothing that is imported lets a body of brackets end the process (py_ecc would)."""

import subprocess
import sys

IMPORTED = [
    "citegrid.paid",
    "app.wsgi",
    "workers.queue.celery",
    "app.domains.money.payments.x402.rail",
]
READERS = [
    "app.core.http.request_parser:loads",  # a body, in bytes
    "citegrid.webhooks:_event",  # a webhook, in bytes
    "app.core.untrusted_json:loads",  # an answer of a service or a model
    "app.engine.pages.blocks.structured:load",  # JSON-LD
    "app.engine.answer.written.draft:json_object",  # a reply of a model
    "citegrid.transport.untrusted_json:loads",  # an answer of the server
]
PROGRAM = """
import importlib, json, pkgutil, sys
imported, readers = (names.split() for names in sys.argv[1:])
for name in imported:
    importlib.import_module(name)
    try:
        json.loads("[" * 200_000)
    except RecursionError:
        print(name)
sys.setrecursionlimit(100_000)  # no reader of strangers' texts depends on it
for n, name in enumerate(readers):
    read = pkgutil.resolve_name(name)
    for deep in ('[' * 200_000, '{"a":' * 200_000, '{"a":' + '[' * 200_000 + ']' * 200_000 + '}'):
        text = deep.encode() if n < 2 else deep
        try:
            assert read(text) is None
        except Exception as error:
            assert not isinstance(error, AssertionError | MemoryError | TypeError), error
    print(name)
"""


def test_deep_json_is_an_error_and_no_crash() -> None:
    """In a process of its own, which says on stderr why it came no further."""
    command = [sys.executable, "-c", PROGRAM, " ".join(IMPORTED), " ".join(READERS)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    assert ended.stdout.splitlines() == IMPORTED + READERS
