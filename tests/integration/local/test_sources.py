"""`citegrid-server sources`, over a real database."""

import json

from tests.integration.local.conftest import Run


def test_domains_are_listed_after_they_were_judged(run: Run) -> None:
    run("sources", "allow", "WWW.Example.org")
    run("sources", "deny", "a.example.co.uk", "https://b.example.net/x")
    listed = json.loads(run("sources", "list", "--json").stdout)
    assert [(x["domain"], x["verdict"]) for x in listed] == [
        ("example.co.uk", "deny"),
        ("example.net", "deny"),
        ("example.org", "allow"),
    ]


def test_a_forgotten_domain_is_listed_no_more(run: Run) -> None:
    run("sources", "allow", "example.org")
    assert run("sources", "forget", "example.org").stdout == "example.org: removed\n"
    assert run("sources", "list").stdout == ""


def test_of_several_names_none_is_listed_if_one_is_wrong(run: Run) -> None:
    failed = run("sources", "deny", "example.org", "no domain")
    assert failed.exit_code == 1
    assert "not_a_domain" in failed.output
    assert run("sources", "list").stdout == ""
