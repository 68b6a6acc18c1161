"""`citegrid-server`: the commands, and nothing but their names."""

import click

from app.local import commands, offering, operating, reference, sources


@click.group()
@click.version_option(package_name="citegrid-server")
def main() -> None:
    """Citegrid: answers whose every statement points at the passage it came from."""


for _command in (
    commands.run_up,
    commands.run_migrate,
    commands.run_doctor,
    commands.run_status,
    operating.accounts_group,
    operating.keys_group,
    operating.index_group,
    sources.sources_group,
    operating.search,
    offering.offers_group,
    offering.editions_group,
    reference.run_docs,
):
    main.add_command(_command)
