"""What `citegrid-server` loads before it knows what it is asked for, and what serves without."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from app.cli import main
from app.local.command_group import CommandGroup
from app.local.commands.accounts.accounts import accounts_group

HEAVY = {"click", "email", "flask", "importlib.metadata", "numpy", "psycopg", "redis", "workers"}


def loaded_by(code: str) -> set[str]:
    """The modules that a new interpreter has after this code."""
    program = f"import sys\n{code}\nsys.stderr.write(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split("\n"))


def test_the_version_is_told_without_loading_anything_of_weight() -> None:
    start = "sys.argv = ['', '--version']\nimport app.__main__\napp.__main__.main()"
    loaded = loaded_by(start)
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("app.")} == {"app.__main__"}


def test_a_command_does_not_load_the_others() -> None:
    start = "import app.cli\napp.cli.main(['sources', '-h'], standalone_mode=False)"
    loaded = loaded_by(start)
    assert "app.local.commands.search.sources" in loaded
    assert {"app.local.commands.reference", "app.wsgi"} & loaded == set()


def test_a_command_of_a_group_loads_no_more_than_its_own_domains() -> None:
    start = "import app.cli\napp.cli.main(['accounts', 'list', '-h'], standalone_mode=False)"
    loaded = loaded_by(start)
    assert "app.domains.account.accounts.store" in loaded
    assert {"app.wiring", "app.engine", "flask", "redis", "numpy"} & loaded == set()


def commands(
    group: click.Group, named: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command by its words, each loaded."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        assert command.name == name
        yield (*named, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*named, name))


def test_every_command_is_found_under_its_name() -> None:
    assert {("accounts", "list"), ("index", "add"), ("search",)} <= dict(commands(main)).keys()


def test_every_option_says_what_it_is_for() -> None:
    options = [(words, x) for words, command in commands(main) for x in command.params]
    assert [
        (words, x.opts) for words, x in options if isinstance(x, click.Option) and not x.help
    ] == []


def test_what_a_command_does_is_told_without_loading_it() -> None:
    start = "import app.cli\napp.cli.main(['--help'], standalone_mode=False)"
    assert {name for name in loaded_by(start) if name.startswith("app.local.commands")} == set()


@pytest.mark.parametrize("group", [main, accounts_group], ids=lambda group: group.name)
def test_what_a_group_says_of_a_command_is_the_first_thing_that_the_command_says(
    group: CommandGroup,
) -> None:
    for name, (_, summary) in group.places.items():
        command = group.get_command(click.Context(group), name)
        assert command is not None
        said = " ".join((command.help or "").split())
        assert said.startswith(summary.rstrip("."))


def test_who_asks_only_for_the_address_does_not_load_a_database_client() -> None:
    start = "import app.cli\napp.cli.main(['status', '-h'], standalone_mode=False)"
    assert {"psycopg", "redis", "flask"} & loaded_by(start) == set()


def test_what_serves_loads_nothing_that_decodes_pictures_or_takes_payments() -> None:
    """The API holds keys; payments are for those who sell."""
    loaded = loaded_by("import app.wsgi, workers.housekeeping.payments")
    assert {"PIL", "eth_account", "web3", "x402"} & loaded == set()


def test_what_programs_are_forked_from_has_no_parser_no_shell_and_no_thread() -> None:
    start = (
        "import os\nfrom app.local.embedded import prepared\nprepared._load()\n"
        "assert len(os.listdir('/proc/self/task')) == 1"
    )
    loaded = loaded_by(start)
    assert "workers.searches.handler" in loaded
    parsers = {"pypdfium2", "markdown_it", "mammoth"}
    assert ({"click_repl", "prompt_toolkit"} | parsers) & loaded == set()
