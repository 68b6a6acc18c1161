"""Every command of `citegrid-server` is recorded in the audit log, or changes nothing there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from app.cli import main

ROOT = Path(__file__).parents[2]

RECORDED: Final = {
    "accounts create": "account.created",
    "accounts delete": "account.deletion_requested",
    "accounts demote": "account.demoted",
    "accounts disable": "account.disabled",
    "accounts enable": "account.enabled",
    "accounts export": "account.exported",
    "accounts keep": "account.kept",
    "accounts link": "session.link_made",
    "accounts promote": "account.promoted",
    "accounts reset-password": "password.reset",
    "backup create": "database.backed_up",
    "backup rehearse": "database.restore_rehearsed",
    "credits grant": "credit.granted",
    "disputes refuse": "dispute.decided",
    "disputes uphold": "dispute.decided",
    "editions disable": "edition.disabled",
    "editions enable": "edition.enabled",
    "index add": "corpus.added",
    "index detach": "index.detached",
    "index rebuild": "index.rebuild_requested",
    "index refresh": "corpus.refresh_requested",
    "index remove": "corpus.removed",
    "keys create": "key.created",
    "nodes approve": "node.approved",
    "nodes pause": "node.stopped",
    "nodes resume": "node.resumed",
    "offers import": "offer.saved",
    "payouts refuse": "payout.refused",
    "payouts settle": "payout.settled",
    "queues pause": "queue.paused",
    "queues resume": "queue.resumed",
    "recovered": "database.recovered",
    "restore": "database.restored",
    "reviews distrust": "reviewer.distrusted",
    "reviews reinstate": "reviewer.reinstated",
    "reviews trust": "reviewer.trusted",
    "rewards thaw": "rewards.thawed",
    "rotate-keys": "secret_key.rotated",
    "search": "search.requested",
    "sources allow": "source.listed",
    "sources deny": "source.listed",
    "sources forget": "source.unlisted",
    "workers drain": "worker.drained",
    "workers forget": "worker.forgotten",
}
"""Commands that change something, and what is recorded of it."""

READ_ONLY: Final = {
    "accounts list", "campaigns list", "campaigns report", "credits list", "credits show",
    "disputes list", "doctor", "editions list", "index failures", "index list", "ledger audit",
    "nodes list", "nodes show", "payouts list", "queues list", "reviews show", "sources list",
    "status", "workers list",
}  # fmt: skip

ELSEWHERE: Final = {
    "docs": "writes files of the repository; there is no database",
    "migrate": "the table schema_migrations says what was applied and when",
    "up": "starts processes of one machine, which log",
}
"""Commands that change something, of which the audit log knows nothing, and why."""


def commands(group: click.Group, prefix: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield prefix + name


def test_each_command_is_recorded_or_known_to_change_nothing() -> None:
    named = [*RECORDED, *READ_ONLY, *ELSEWHERE]
    assert sorted(named) == sorted(commands(main))


def test_what_is_recorded_of_a_command_is_an_action_of_the_code() -> None:
    code = "".join(file.read_text() for file in (ROOT / "app").rglob("*.py"))
    written = set(re.findall(r'"([a-z_]+\.[a-z_]+)"', code))
    made_of_a_state = set(re.findall(r'f"([a-z_]+)\.\{[a-z_.]*state\}"', code))
    unknown = set(RECORDED.values()) - written
    assert {
        action for action in unknown if action.partition(".")[0] not in made_of_a_state
    } == set()
