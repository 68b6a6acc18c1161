"""Results as dictionaries."""

import pkgutil
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

import httpx
from answers import COMPLETED, RUNNING, Recording
from conftest import Ask

from citegrid import nouns
from citegrid.transport.codec import ApiObject


def results() -> list[type[Any]]:
    modules = [each.name for each in pkgutil.walk_packages(nouns.__path__, f"{nouns.__name__}.")]
    return [
        cls
        for module in modules
        for name, cls in vars(import_module(module)).items()
        if is_dataclass(cls) and getattr(cls, "__module__", "") == module and name[0] != "_"
    ]


def test_every_result_and_part_of_one_can_be_a_dictionary() -> None:
    assert results()
    assert [result for result in results() if not issubclass(result, ApiObject)] == []


def test_a_result_and_a_part_of_it_are_dictionaries_as_the_server_wrote_them(ask: Ask) -> None:
    server = Recording(httpx.Response(200, json=COMPLETED))
    search = ask(server, lambda c: c.searches.get("srch_a"))
    expected = {**COMPLETED, "completed_at": "2026-11-21T09:00:01.250000Z"}
    assert search.to_dict() == expected
    assert search.result.citations[0].to_dict() == COMPLETED["result"]["citations"][0]


def test_a_page_is_a_dictionary_under_the_name_of_its_list(ask: Ask) -> None:
    listed = {"searches": [RUNNING], "has_more": True, "next_cursor": "c2"}
    server = Recording(httpx.Response(200, json=listed))
    assert ask(server, lambda c: c.searches.list()).to_dict() == listed
