"""Migrations: their numbers, and that the release before them goes on while they are applied."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core.db.migrate import FOLDER
from app.core.db.migration import BATCHES, OUTSIDE, UNUSED_SINCE

ROOT = Path(__file__).parents[2]
SQUAWK = Path(sys.executable).with_name("squawk")

# Up to this number the files are the schema of the first release, which no release is before.
BASELINE = 11

# What only takes long: such a file says why it does not (`-- brief lock: why`).
# Whatever else squawk says breaks who still runs the release before.
LOCKS = {
    "adding-field-with-default",
    "adding-foreign-key-constraint",
    "adding-serial-primary-key-field",
    "changing-column-type",
    "constraint-missing-not-valid",
    "disallowed-unique-constraint",
    "require-concurrent-index-creation",
    "require-concurrent-index-deletion",
    "require-concurrent-reindex",
}
IGNORED = re.compile(r"squawk-ignore(?:-file)?\s+([a-z, -]+)")
BRIEF = re.compile(r"^-- brief lock: \S", re.M)
CONCURRENT = re.compile(
    r"\b(create (unique )?index concurrently if not exists|drop index concurrently if exists"
    r"|validate constraint|add value)\b",
    re.I,
)
# They change rows, or hold what no rule looks into.
BY_HAND = {"CLUSTER", "DELETE", "DO", "LOCK", "MERGE", "TRUNCATE", "UPDATE", "VACUUM"}


def refusals(file: Path) -> list[str]:
    """What is wrong with a new migration."""
    text = file.read_text()
    kinds = statements(file)
    if OUTSIDE.search(text) or BATCHES.search(text):
        wrong = ["one statement only"] if len(kinds) != 1 else []
        if OUTSIDE.search(text) and not CONCURRENT.search(text):
            wrong.append("this needs no file outside a transaction")
        return wrong + complaints(file, "--no-assume-in-transaction") + unsaid(text)
    by_hand = [f"{kind}: use a file in batches" for kind in kinds if kind in BY_HAND]
    return by_hand * (not BRIEF.search(text)) + complaints(file) + unsaid(text)


def unsaid(text: str) -> list[str]:
    """The rules that a file ignores without its reason."""
    ignored = {rule.strip() for match in IGNORED.findall(text) for rule in match.split(",")}
    wrong = []
    if ignored & LOCKS and not BRIEF.search(text):
        wrong.append("`-- brief lock: why` is missing")
    if ignored - LOCKS and not UNUSED_SINCE.search(text):
        wrong.append("`-- unused since RELEASE: what` is missing")
    return wrong


def complaints(file: Path, *options: str) -> list[str]:
    lines = file.read_text().splitlines()
    return [
        f"{found['line'] + 1}: {found['rule_name']}: {found['message']}"
        for found in json.loads(squawk("--reporter", "json", *options, str(file)))
        if not is_new_not_null(found, lines)
    ]


def is_new_not_null(found: dict[str, Any], lines: list[str]) -> bool:
    """Nobody writes null into a column that is new; one without a default has a rule of its own."""
    if found["message"] != "A new column constraint can reject writes from existing clients.":
        return False
    words = lines[found["line"]][found["column"] : found["column_end"]]
    return words.lower() == "not null"


def statements(file: Path) -> list[str]:
    return [found["type"] for found in json.loads(squawk("--debug", "ast", str(file)))["stmts"]]


def squawk(*arguments: str) -> str:
    config = ["--config", str(Path(__file__).with_name("squawk.toml"))]
    ended = subprocess.run([SQUAWK, *config, *arguments], capture_output=True, text=True)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.stdout


def test_each_number_exists_once_and_none_is_left_out() -> None:
    numbers = sorted(int(file.name[:4]) for file in FOLDER.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_no_new_migration_breaks_or_blocks_the_release_before() -> None:
    new = [file for file in sorted(FOLDER.glob("*.sql")) if int(file.name[:4]) > BASELINE]
    assert {file.name: wrong for file in new if (wrong := refusals(file))} == {}


def test_what_a_migration_calls_unused_was_released_without_its_use() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)", changelog, re.M)
    texts = [file.read_text() for file in FOLDER.glob("*.sql")]
    named = {since for text in texts for since in UNUSED_SINCE.findall(text)}
    assert named <= set(released)


@pytest.mark.parametrize(
    "sql",
    [
        "alter table jobs drop column worker;",
        "alter table jobs rename column worker to holder;",
        "alter table jobs rename to tasks;",
        "drop table schedules;",
        "alter table jobs alter column worker set not null;",
        "alter table jobs alter column attempt type bigint;",
        "alter table jobs add constraint tried check (attempt < 99);",
        "alter table jobs add constraint tried check (attempt < 99) not valid;",
        "alter table jobs add column owner uuid references accounts (id);",
        "alter table jobs add column seen timestamptz not null default clock_timestamp();",
        "alter table jobs add column seen int not null;",
        "alter table jobs add column seen int check (seen > 0);",
        "alter table jobs add unique (worker);",
        "create index jobs_worker on jobs (worker);",
        "drop index jobs_ready;",
        "drop trigger ledger_append_only on ledger_entries;",
        "revoke select on jobs from citegrid_app;",
        "create policy own on jobs using (true);",
        "update jobs set priority = 50;",
        "do $$ begin execute 'drop table jobs'; end $$;",
        "lock table jobs;",
        "-- outside a transaction\ncreate index concurrently jobs_worker on jobs (worker);",
        "-- in batches\nupdate jobs set priority = 50; delete from jobs;",
        "-- squawk-ignore ban-drop-column\nalter table jobs drop column worker;",
        "-- brief lock: small\n-- squawk-ignore ban-drop-column\nalter table jobs drop column a;",
    ],
)
def test_what_breaks_or_blocks_is_refused(sql: str, tmp_path: Path) -> None:
    (tmp_path / "0099_new.sql").write_text(sql)
    assert refusals(tmp_path / "0099_new.sql")


@pytest.mark.parametrize(
    "sql",
    [
        "create table news (id uuid primary key, n int not null); create index on news (n);",
        "alter table jobs add column seen timestamptz;",
        "alter table jobs add column seen int not null default 0;",
        "-- outside a transaction\n"
        "create index concurrently if not exists jobs_worker on jobs (worker);",
        "-- outside a transaction\nalter table jobs validate constraint tried;",
        "-- in batches\nupdate jobs set seen = now() where id in"
        " (select id from jobs where seen is null limit 1000);",
        "-- unused since 0.2.0: jobs.worker\n-- squawk-ignore ban-drop-column\n"
        "alter table jobs drop column worker;",
        "-- brief lock: a row for each queue\n-- squawk-ignore require-concurrent-index-creation\n"
        "create index queues_paused on queues (paused_at);",
    ],
)
def test_what_only_adds_or_says_why_is_accepted(sql: str, tmp_path: Path) -> None:
    (tmp_path / "0099_new.sql").write_text(sql)
    assert refusals(tmp_path / "0099_new.sql") == []
