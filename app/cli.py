"""`citegrid-server`: the names of its commands; each is loaded when it is asked for."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

import click

from app import __version__

COMMANDS: Final[Mapping[str, str]] = {
    "up": "up.run_up",
    "migrate": "service.run_migrate",
    "doctor": "service.run_doctor",
    "status": "status.run_status",
    "accounts": "accounts.accounts_group",
    "keys": "search.keys_group",
    "index": "search.index_group",
    "queues": "queues.queues_group",
    "sources": "sources.sources_group",
    "search": "search.search",
    "nodes": "market.nodes.nodes_group",
    "campaigns": "market.campaigns.campaigns_group",
    "memory": "memory.memory_group",
    "offers": "market.offers.offers_group",
    "editions": "market.offers.editions_group",
    "credits": "credits.credits_group",
    "ledger": "credits.ledger_group",
    "disputes": "market.disputes.disputes_group",
    "payouts": "market.rewards.payouts_group",
    "rewards": "market.rewards.rewards_group",
    "rotate-keys": "key_rotation.rotate_keys",
    "reviews": "market.reviews.reviews_group",
    "workers": "queues.workers_group",
    "backup": "backup.backup_group",
    "restore": "backup.run_restore",
    "recovered": "backup.run_recovered",
    "docs": "reference.run_docs",
}
"""Where each stands below `app.local.commands`."""


class Commands(click.Group):
    """Knows its commands by name only."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].rpartition(".")
        command: click.Command = getattr(import_module(f"app.local.commands.{module}"), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Citegrid: answers with quotes from their sources."""
