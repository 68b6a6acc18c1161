"""Nothing that is imported lets a body of brackets end the process (py_ecc would)."""

import subprocess
import sys

IMPORTED = [
    "citegrid.paid",
    "app.wsgi",
    "workers.queue.celery",
    "app.domains.money.payments.x402.rail",
]
DEEP = """
import importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    try:
        json.loads("[" * 200_000)
    except RecursionError:
        print(name)
"""
READERS = [
    "app.core.http.request_parser:loads",  # a body, in bytes
    "citegrid.webhooks:_event",  # a webhook, in bytes
    "app.core.untrusted_json:loads",  # an answer of a service or a model
    "app.engine.pages.blocks.structured:load",  # JSON-LD
    "app.engine.answer.written.draft:json_object",  # a reply of a model
    "citegrid.transport.untrusted_json:loads",  # an answer of the server
]
RAISED = """
import pkgutil, sys
sys.setrecursionlimit(100_000)
for n, name in enumerate(sys.argv[1:]):
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
    assert printed(DEEP, *IMPORTED) == IMPORTED


def test_no_reader_of_strangers_depends_on_the_recursion_limit() -> None:
    assert printed(RAISED, *READERS) == READERS


def printed(program: str, *arguments: str) -> list[str]:
    """The lines that a process of its own comes to, and on stderr why it came no further."""
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    return ended.stdout.splitlines()
