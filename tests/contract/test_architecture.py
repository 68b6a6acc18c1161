"""What import-linter cannot say: who may change which rows, and who may know what."""

import ast
import re
from functools import cache
from pathlib import Path

import grimp
import pytest

from workers.queue.celery import HANDLERS

ROOT = Path(__file__).parents[2]
GRAPH = grimp.build_graph("app", "workers")
IMPORTS = [
    (module, imported)
    for module in GRAPH.modules
    for imported in GRAPH.find_modules_directly_imported_by(module)
]


# Whoever promises work writes to the queue's tables by the queue's own statements.
SHARED_WRITES = {
    "app.domains.account.accounts.store": {"lock_account"},  # which changes no row
    "app.domains.account.audit.store": {"make_nameless"},
    "app.domains.money.payments.store": {"spend_nonce"},
    "app.domains.queue.jobs.attempt_store": {"extend", "give_back"},
    "app.domains.queue.jobs.schedule_store": {"clock", "delete"},
    "app.domains.queue.jobs.store": {"start"},
    "app.domains.queue.webhooks.store": {"delete_of_job"},
    "app.domains.records.monitors.view_store": {"view"},  # whoever opens the page has seen it
}
"""Statements that change rows, by store: those that other districts send as well."""


def domain(module: str) -> str | None:
    """`jobs` of `app.domains.queue.jobs.service`; None outside of the domains."""
    parts = module.split(".")
    return parts[3] if module.startswith("app.domains.") and len(parts) > 3 else None


def district(module: str) -> str | None:
    """`queue` of `app.domains.queue.jobs.service`; None outside of the domains."""
    parts = module.split(".")
    return parts[2] if module.startswith("app.domains.") else None


def test_what_changes_rows_is_sent_by_its_own_district_or_by_workers() -> None:
    """Reads of a store are anybody's: what takes a `Reader` changes nothing."""
    found: dict[str, set[str]] = {}
    for module, imported in IMPORTS:
        if not imported.endswith("store") or module.startswith(("workers", "app.wiring")):
            continue  # wiring names who is called, and sends nothing
        if district(imported) and district(module) != district(imported):
            found.setdefault(imported, set()).update(used(module, imported) & writes(imported))
    assert {store: names for store, names in found.items() if names} == SHARED_WRITES


def writes(module: str) -> set[str]:
    return {
        node.name
        for node in source(module).body
        if isinstance(node, ast.FunctionDef)
        and node.args.args
        and ast.unparse(node.args.args[0].annotation or ast.Constant(None)) == "Tx"
    }


def used(module: str, imported: str) -> set[str]:
    """Names of `imported` that `module` takes: `from store import name`, or `store.name`."""
    package, _, last = imported.rpartition(".")
    names: set[str] = set()
    aliases: set[str] = set()
    for node in ast.walk(source(module)):
        if isinstance(node, ast.ImportFrom) and node.module == imported:
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module == package:
            aliases |= {alias.asname or last for alias in node.names if alias.name == last}
    for node in ast.walk(source(module)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in aliases:
            names.add(node.attr)
    return names


@cache
def source(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("door", ["routes", "schemas", "presentation"])
def test_doors_change_no_rows_by_themselves(door: str) -> None:
    """They may read what needs no decision; what changes is their service's."""
    for module, imported in IMPORTS:
        if module.endswith(door) and domain(module) and imported.endswith("store"):
            changed = used(module, imported) & writes(imported)
            assert changed <= SHARED_WRITES.get(imported, set()), f"{module} -> {imported}"


def test_no_domain_knows_how_another_answers() -> None:
    for module, imported in IMPORTS:
        if domain(module) and domain(imported) not in (None, domain(module)):
            assert not imported.endswith((".routes", ".presentation")), f"{module} -> {imported}"


@pytest.mark.parametrize("loaded", [{"app.wsgi"}, {"app.wiring", *HANDLERS}])
def test_every_process_knows_all_kinds_of_jobs(loaded: set[str]) -> None:
    """One that nobody works on would never be done, and operators end what their process knows."""
    known = loaded.union(*(GRAPH.find_upstream_modules(module) for module in loaded))
    kinds = {
        name: ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for folder in ("app", "workers")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(
            r"\bregister(?:_kind)?\(\s*([^,()]+),\s*queue=", path.read_text(encoding="utf-8")
        )
    }
    assert len(kinds) > 40
    assert {name for name, module in kinds.items() if module not in known} == set()


PARSERS = {
    "app.engine.extraction.records.extract": {"extract", "extract_text"},
    "app.engine.extraction.records.second_extraction": {"second"},
    "app.engine.extraction.site.examples": {"learn_example"},
    "app.engine.images.pixels": {"public_copy"},
    "app.engine.pages.formats.csv": {"read_csv"},
    "app.engine.pages.formats.docx": {"read_docx"},
    "app.engine.pages.formats.epub": {"read_epub"},
    "app.engine.pages.formats.html": {"parse", "read_html"},
    "app.engine.pages.formats.markdown": {"read_markdown"},
    "app.engine.pages.formats.package": {"tree"},
    "app.engine.pages.formats.pdf": {"read_pdf"},
    "app.engine.pages.read": {"read"},
    "app.engine.pages.site.sitemap": {"read_sitemap"},
    "app.engine.sandbox.extract": {"extract_document", "learn_example", "markup_of", "second"},
    "app.engine.sandbox.prepare": {"prepare_page", "read_document"},
}
"""Functions that give bytes of strangers to parsers written in C."""
CHILDREN = {"app.engine.images.child", "app.engine.sandbox.child", *PARSERS} | {
    "app.engine.extraction.records.warm_up",  # of documents of ours, in that child
}


def test_strangers_documents_and_pictures_are_parsed_in_confined_children_alone() -> None:
    found = {
        f"{module} -> {imported}"
        for module, imported in IMPORTS
        if imported in PARSERS
        and module not in CHILDREN
        and PARSERS[imported] & used(module, imported)
    }
    assert found == set()


def test_every_parser_of_strangers_bytes_is_known_by_its_name() -> None:
    defined = {
        module: {node.name for node in source(module).body if isinstance(node, ast.FunctionDef)}
        for module in PARSERS
    }
    assert {
        name: PARSERS[name] - defined[name] for name in PARSERS if PARSERS[name] - defined[name]
    } == {}
