"""`citegrid-server sources`, over a real database."""

import json

from tests.integration.local.conftest import Run


def test_domains_are_listed_from_their_judgement_until_they_are_forgotten(run: Run) -> None:
    run("sources", "allow", "WWW.Example.org")
    run("sources", "deny", "a.example.co.uk", "https://b.example.net/x")
    failed = run("sources", "deny", "example.com", "no domain")
    assert failed.exit_code == 1
    assert "not_a_domain" in failed.output
    listed = json.loads(run("sources", "list", "--json").stdout)
    assert [(x["domain"], x["verdict"]) for x in listed] == [
        ("example.co.uk", "deny"),
        ("example.net", "deny"),
        ("example.org", "allow"),
    ]
    assert run("sources", "forget", "example.org").stdout == "example.org: removed\n"
    assert "example.org" not in run("sources", "list").stdout
