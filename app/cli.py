"""`citegrid-server`: its commands; each is loaded when it is asked for."""

from collections.abc import Mapping
from typing import Final

import click

from app import __version__
from app.local.command_group import CommandGroup

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "up": ("up.run_up", "Run everything on this machine until Ctrl-C."),
    "migrate": ("migrate.run_migrate", "Apply pending database migrations."),
    "doctor": (
        "doctor.run_doctor",
        "Check the machine, the settings, the servers and the processes.",
    ),
    "status": ("status.run_status", "Print the address and health of the service."),
    "accounts": ("accounts.accounts.accounts_group", "Manage accounts."),
    "keys": ("accounts.keys.keys_group", "Manage API keys."),
    "index": ("search.index.index_group", "Manage corpora, the indexed sites and folders."),
    "queues": ("queues.queues_group", "Show, pause and resume queues."),
    "sources": (
        "search.sources.sources_group",
        "Manage trusted and distrusted domains for the quality score.",
    ),
    "search": ("search.search.search", "Ask a question and print the answer."),
    "nodes": ("market.nodes.nodes_group", "Manage nodes."),
    "campaigns": ("market.campaigns.campaigns_group", "Show campaigns of all accounts."),
    "offers": ("market.offers.offers_group", "Manage saved offers."),
    "editions": ("market.offers.editions_group", "Manage known model revisions."),
    "credits": ("accounts.credits.credits_group", "Manage the credit of accounts."),
    "ledger": ("accounts.ledger.ledger_group", "Check the ledger."),
    "disputes": (
        "market.disputes.disputes_group",
        "Decide disputes by campaign owners and appeals by contributors.",
    ),
    "payouts": ("market.rewards.payouts_group", "Manage payout requests."),
    "rewards": ("market.rewards.rewards_group", "Manage rewards of accounts."),
    "rotate-keys": (
        "key_rotation.rotate_keys",
        "Re-encrypt stored secrets with the new SECRET_KEY.",
    ),
    "reviews": (
        "market.reviews.reviews_group",
        "Show voting records; trust or reinstate accounts that vote.",
    ),
    "workers": ("queues.workers_group", "Show, drain and remove workers."),
    "backup": ("backup.backup_group", "Back up the database, and rehearse a restore."),
    "restore": ("backup.run_restore", "Restore a backup into the empty database at DATABASE_URL."),
    "recovered": (
        "backup.run_recovered",
        "Continue open jobs after Postgres itself recovered to a point in time.",
    ),
    "docs": ("reference.run_docs", "Write the reference pages that come from the code."),
}
"""Where each stands below `app.local.commands`, and what it does."""


@click.group(
    cls=CommandGroup, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Citegrid: answers with quotes from their sources."""
