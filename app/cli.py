"""`citegrid-server`: the names of its commands; each is loaded when it is asked for."""

from collections.abc import Mapping
from typing import Final

import click

from app import __version__
from app.local.command_group import CommandGroup

COMMANDS: Final[Mapping[str, str]] = {
    "up": "up.run_up",
    "migrate": "migrate.run_migrate",
    "doctor": "doctor.run_doctor",
    "status": "status.run_status",
    "accounts": "accounts.accounts.accounts_group",
    "keys": "accounts.keys.keys_group",
    "index": "search.index.index_group",
    "queues": "queues.queues_group",
    "sources": "search.sources.sources_group",
    "search": "search.search.search",
    "nodes": "market.nodes.nodes_group",
    "campaigns": "market.campaigns.campaigns_group",
    "memory": "search.memory.memory_group",
    "offers": "market.offers.offers_group",
    "editions": "market.offers.editions_group",
    "credits": "accounts.credits.credits_group",
    "ledger": "accounts.ledger.ledger_group",
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


@click.group(
    cls=CommandGroup, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Citegrid: answers with quotes from their sources."""
