"""What import-linter cannot say: a domain's only face is its service."""

from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
GRAPH = grimp.build_graph("app", "workers")
IMPORTS = [
    (module, imported)
    for module in GRAPH.modules
    for imported in GRAPH.find_modules_directly_imported_by(module)
]


# Recurring work stands on jobs' own service, so it is a second face and not part of the first.
# So does waiting for a job in a request, and what callers are told of it.
# Monitors and workflows are types of the jobs of extractions, whose pages they have read.
# Bodies of jobs name an endpoint in the form that webhooks define.
# A payment is checked by asking chains, which no service does: so is payments' counter.
FACES = {
    "accounts": {"service", "schemas", "sessions", "login", "deletion"},
    "page_jobs": {
        "service",
        "types",
        "bodies",
        "kinds",
        "continuation",
        "working",
        "extraction",
        "tables",
    },
    "jobs": {"service", "schedules", "statuses", "watch"},
    "ledger": {"service", "audit"},
    "providers": {"service", "schemas", "offer_rules"},
    "payments": {"service", "checkout", "purchases"},
    "webhooks": {"service", "schemas"},
}


def domain(module: str) -> str | None:
    """`jobs` of `app.domains.queue.jobs.service`; None outside of the domains."""
    parts = module.split(".")
    return parts[3] if module.startswith("app.domains.") and len(parts) > 3 else None


def test_a_store_is_known_only_inside_its_own_domain() -> None:
    for module, imported in IMPORTS:
        if domain(imported) and imported.endswith("store"):
            assert domain(module) == domain(imported), f"{module} -> {imported}"


@pytest.mark.parametrize("door", ["routes", "schemas"])
def test_doors_do_not_reach_round_their_service_to_a_store(door: str) -> None:
    for module, imported in IMPORTS:
        if module.endswith(f".{door}") and domain(module):
            assert not imported.endswith("store"), f"{module} -> {imported}"


def test_domains_meet_only_through_their_services() -> None:
    for module, imported in IMPORTS:
        if domain(module) and domain(imported) not in (None, domain(module)):
            face = imported.rpartition(".")[2]
            assert face in FACES.get(domain(imported) or "", {"service"}), f"{module} -> {imported}"


def test_the_api_loads_whatever_registers_work_of_nodes() -> None:
    registering = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "app" / "domains").rglob("*.py")
        if "= work.register(" in path.read_text(encoding="utf-8")
    ]
    assert len(registering) >= 3
    for module in registering:
        assert GRAPH.chain_exists(importer="app.wsgi", imported=module), module
