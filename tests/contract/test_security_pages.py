"""The threat model and the checklist name tests that exist, and count rightly."""

import re
from collections import Counter
from pathlib import Path

import pytest

from app.core import db

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
PAGES = {
    name: (ROOT / "docs" / "explanation" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("threat-model", "asvs")
}
NAMED = re.compile(r"`((?:unit|integration|contract|browser|fault)/[\w/]+\.py)(?:::(\w+))?`")
PLACE = re.compile(r"`((?:app|deploy)/[\w./-]+|[A-Z]+\.md)`")
ROW = re.compile(r"^\| ([\d., ]+) \| ([12]) \| .*? \| (met|n/a|not met) \| (.*) \|$", re.M)
COUNTED = re.compile(r"^\| (met|not applicable|not met) \| (\d+) \| (\d+) \|$", re.M)
REQUIREMENTS = {"1": 70, "2": 183}


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_is_named_exists(page: str) -> None:
    named = NAMED.findall(PAGES[page])
    assert len(named) > 40
    for path, name in named:
        assert not name or f"def {name}(" in (TESTS / path).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("page", PAGES)
def test_every_place_that_is_named_exists(page: str) -> None:
    for place in PLACE.findall(PAGES[page]):
        assert (ROOT / place).exists(), place


def tables_by(protection: str) -> list[str]:
    """Those that the threat model names beside it."""
    [row] = [line for line in PAGES["threat-model"].splitlines() if line.startswith(protection)]
    return re.findall(r"`([a-z_]+)`", row.split(" | ")[1])


OWNED = """
    select relname, relrowsecurity and relforcerowsecurity from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'account_id' and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname
    """


def test_the_threat_model_says_what_keeps_accounts_apart_in_each_table(database: str) -> None:
    with db.reading() as reader:
        forced = dict(reader.execute(OWNED).fetchall())
    assert tables_by("| row security, forced") == [name for name in forced if forced[name]]
    assert tables_by("| the owner in the `where`") == [name for name in forced if not forced[name]]


def statuses() -> dict[str, tuple[str, str]]:
    rows = ROW.findall(PAGES["asvs"])
    return {id: (status, level) for ids, level, status, _ in rows for id in ids.split(", ")}


def test_every_requirement_of_both_levels_has_one_status() -> None:
    named = [id for ids, *_ in ROW.findall(PAGES["asvs"]) for id in ids.split(", ")]
    assert len(named) == len(set(named))
    assert Counter(level for _, level in statuses().values()) == REQUIREMENTS


def test_the_numbers_at_the_top_are_those_of_the_rows() -> None:
    counts = Counter(statuses().values())
    for words, *numbers in COUNTED.findall(PAGES["asvs"]):
        status = "n/a" if words == "not applicable" else words
        assert [int(number) for number in numbers] == [counts[status, "1"], counts[status, "2"]]
    assert len(COUNTED.findall(PAGES["asvs"])) == 3


def test_what_is_met_says_what_shows_it() -> None:
    assert all(shown.strip() for *_, shown in ROW.findall(PAGES["asvs"]))
