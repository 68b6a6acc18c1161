"""What a new domain forgets most easily, each by name: see docs/how-to/add-to-it.md."""

import json
import re
from pathlib import Path

import pytest

from app.core import ids
from app.core.config.settings import Settings
from app.domains.account.accounts.key_rules import SCOPES
from app.wsgi import create_app
from tests import interface

ROOT = Path(__file__).parents[2]
DOMAINS = {
    path.name: path
    for path in (ROOT / "app" / "domains").glob("*/*")
    if path.is_dir() and path.name != "__pycache__"
}
HOW_TO = (ROOT / "docs" / "how-to" / "add-to-it.md").read_text()

TOOLS = {
    "createSearch": "service_start_search",
    "createPaidSearch": None,
    "buyCredit": None,  # an agent spends nothing by itself
    "createJob": "service_start_extraction",
    "rerunJob": None,
    "verifyQuote": None,
    "exportAccount": None,  # what is all of an account's is fetched by its owner
    "createBulkAction": None,  # what operators do is done by people
    "testWebhook": None,
    "redeliverWebhook": None,
    "redeliverWebhookDelivery": None,
}
"""The agent tool of each operation that starts work; None for what agents are not given."""
RELEASING = re.compile(r"(?:snapshots\.release|passages\.replace|passages\.remove)\(")
"""`replace` and `remove` release what they take out of the index."""


def sources(domain: str, pattern: str = "*.py") -> str:
    return "\n".join(path.read_text() for path in sorted(DOMAINS[domain].rglob(pattern)))


@pytest.fixture(scope="module")
def served() -> set[tuple[str, str]]:
    """Name and module of each blueprint of the application."""
    settings = Settings(database_url="unused", redis_url="redis://unused", secret_key="x" * 32)
    blueprints = create_app(settings).blueprints.values()
    return {(blueprint.name, blueprint.import_name) for blueprint in blueprints}


def test_every_domain_is_on_the_map() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text()
    rows = [row.split("|") for row in text.splitlines() if row.startswith("|")]
    places = "".join(row[2] for row in rows if len(row) == 5)
    assert [domain for domain in DOMAINS if f"`{domain}`" not in places] == []


def test_every_blueprint_of_a_domain_is_served(served: set[tuple[str, str]]) -> None:
    written = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for folder in DOMAINS.values()
        for path in folder.rglob("*.py")
        if re.search(r"\bBlueprint\(\n", path.read_text())
    }
    assert written <= {module for _, module in served}


def test_a_key_can_have_every_scope_that_a_route_asks_for() -> None:
    asked = {each for name in DOMAINS for each in re.findall(r'@scoped\("(\w+)"\)', sources(name))}
    assert asked
    assert asked <= set(SCOPES)


def test_every_prefix_of_public_ids_is_of_a_noun_in_the_registry() -> None:
    shown = set(re.findall(r"\^([a-z]+)_\[a-z2-7\]", json.dumps(interface.document())))
    assert shown
    assert shown <= set(ids.Noun)


def test_whoever_refers_to_a_snapshot_releases_it() -> None:
    """Snapshots are deleted once they are released and no row of any table refers to them."""
    files = sorted((ROOT / "app" / "migrations").glob("*.sql"))
    migrations = re.sub("--.*", "", "\n".join(path.read_text() for path in files))
    tables = re.findall(r"create table (\w+) \([^;]*references snapshots", migrations)
    assert tables
    for table in set(tables) - {"passages"}:  # which its own domain replaces, page by page
        writing = re.compile(rf"insert into {table}\b")
        writers = [domain for domain in DOMAINS if writing.search(sources(domain, "*store.py"))]
        assert writers, table
        for domain in writers:
            assert RELEASING.search(sources(domain)), f"{domain} keeps snapshots of {table}"


def test_agents_have_a_tool_for_whatever_starts_work() -> None:
    document = interface.document()
    starting = {
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method == "post" and "202" in operation["responses"]
    }
    assert starting == set(TOOLS)
    folder = ROOT / "client" / "citegrid" / "mcp"
    files = ("server.py", "tools/searches.py", "tools/jobs.py")
    written = "".join((folder / name).read_text() for name in files)
    assert all(tool in written for tool in TOOLS.values() if tool)


def test_each_check_that_the_page_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", HOW_TO)
    assert named
    for path, name in named:
        assert f"def {name}" in (ROOT / path).read_text(), path
