"""Blocks of the documents that are not run are held to what can be known without running them."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import yaml
from citegrid import Client, Credentials

from tests.documents import GENERATED, PAGES, ROOT, RUN, SHOWN, blocks, every_block

NOT_RUN = [block for block in every_block() if not block.runs]
SQUAWK = Path(sys.executable).with_name("squawk")
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
CLIENT = Client(base_url="http://127.0.0.1:9", credentials=Credentials())
NAMED_ROUTE = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) (/[\w{}<>./-]+)")
CURLED = re.compile(r"\$SERVICE_BASE_URL(/[\w$./-]+)")
NOT_OF_THE_API = {"/metrics", "/healthz", "/readyz"}
CLIENT_CALL = re.compile(r"\bclient\.([a-z_]+)\.([a-z_]+)\b(?!\.)")
FILE = re.compile(
    r"(?<![\w/.$-])(?:requirements/[\w-]+\.lock|(?:app|bench|client|deploy|examples|tests|workers)/[\w./@-]+\w(?![\w*]))"
)


# What this page of the reference lists is what the server serves: a test of its own sees to that.
API = (GENERATED / "api.md").read_text(encoding="utf-8")
SERVED = re.findall(r"^\| `(\w+) (\S+)`", API, re.MULTILINE)
# What a reader makes by following a page.
MADE = {"workers/reports.py", "deploy/compose.env", "deploy/secrets", "deploy/secrets/tls"}


def served(path: str, *methods: str) -> bool:
    """Parameters of the route may be given as anything."""
    return any(
        re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", route), path.rstrip("/."))
        for method, route in SERVED
        if not methods or method in methods
    )


def wrong(check: Callable[[str], object], *languages: str) -> list[tuple[str, int, str]]:
    """Where blocks of these languages stand that do not pass, and why."""
    found = []
    for block in NOT_RUN:
        if block.language in languages:
            try:
                check(block.code)
            except Exception as error:  # noqa: BLE001 (all are named)
                found.append((block.page, block.line, repr(error)))
    return found


def read_json(code: str) -> None:
    member = code.startswith('"')  # a part of an object
    json.loads(f"{{{code}}}" if member else code)


def import_names(code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("citegrid"):
            module = import_module(str(node.module))
            assert [name.name for name in node.names if not hasattr(module, name.name)] == []


def test_json_and_yaml_that_are_shown_can_be_read() -> None:
    assert wrong(read_json, "json") + wrong(yaml.safe_load, "yaml") == []


def test_python_that_is_shown_compiles_and_imports_what_is_there() -> None:
    assert wrong(import_names, "python") == []


def test_sql_that_is_shown_can_be_parsed(tmp_path: Path) -> None:
    for n, block in enumerate(b for b in NOT_RUN if b.language == "sql"):
        (tmp_path / f"{n}.sql").write_text(f"-- {block.page}\n{block.code}")
    checked = subprocess.run(
        [SQUAWK, "--reporter", "Json", *sorted(tmp_path.iterdir())], capture_output=True, text=True
    )
    problems = json.loads(checked.stdout)
    assert [each for each in problems if each["rule_name"] == "syntax-error"] == []


def test_shell_that_is_not_run_can_be_parsed(tmp_path: Path) -> None:
    for n, block in enumerate(b for b in NOT_RUN if b.language in ("", "sh")):
        (tmp_path / f"{n}.sh").write_text(f"{block.code}\n# {block.page}:{block.line}")
    each = 'for file in "$@"; do bash -n "$file" || cat "$file" >&2; done'
    files = [str(path) for path in tmp_path.iterdir()]
    checked = subprocess.run(["bash", "-c", each, "", *files], capture_output=True, text=True)
    assert files
    assert checked.stderr == ""


def test_a_block_is_in_a_language_that_is_run_or_checked() -> None:
    checked = RUN.keys() | SHOWN
    unknown = [
        (b.page, b.line) for b in every_block() if b.language not in checked and not b.reason
    ]
    assert unknown == []


def test_every_route_that_is_named_is_served() -> None:
    text = "\n".join(TEXTS.values())
    named = [route for route in NAMED_ROUTE.findall(text) if route[1] not in NOT_OF_THE_API]
    assert [(method, path) for method, path in named if not served(path, method)] == []
    assert [path for path in CURLED.findall(text) if not served(path)] == []


def test_every_method_of_the_client_that_is_named_is_there() -> None:
    missing = [
        f"client.{name}.{method}"
        for name, method in CLIENT_CALL.findall("\n".join(TEXTS.values()))
        if not hasattr(getattr(CLIENT, name, None), method)
    ]
    assert missing == []


def test_every_file_of_the_repository_that_is_named_is_there() -> None:
    named = FILE.findall("\n".join(TEXTS.values()))
    assert [name for name in named if name not in MADE and not (ROOT / name).exists()] == []


def test_a_page_whose_commands_need_jq_names_it() -> None:
    silent = [page for page, text in TEXTS.items() if "`jq`" not in text]
    blocks_of_them = [block for page in silent for block in blocks(page)]
    assert [block.page for block in blocks_of_them if re.search(r"\bjq ", block.code)] == []
