"""What the documents name is there: pages, headings, commands and their options, settings."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest
from citegrid import __version__ as client_version
from citegrid.cli.main import commands as client

from app import __version__ as server_version
from app.cli import main as server
from app.core.config.settings import Settings

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FINDINGS = (ROOT / "bench" / "findings").glob("*.md")
BESIDE = (page for folder in ("client", "examples") for page in (ROOT / folder).glob("*.md"))
PAGES = sorted([*ROOT.glob("*.md"), *BESIDE, *DOCS.rglob("*.md"), *FINDINGS])
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
MAKEFILE = (ROOT / "Makefile").read_text()

PROGRAMS: dict[str, click.Command] = {"citegrid-server": server, "citegrid": client}
SETTINGS = {spec.name.upper() for spec in fields(Settings)}
FAMILIES = {name.partition("_")[0] for name in SETTINGS}
OF_CLIENTS = {"SERVICE_API_KEY"}

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# Not where it is a name: of a module, of a package, of an entry of an agent host.
COMMAND = re.compile(
    r"(?<!from )(?<!install )(?<!add )(?<!http )(?<![\w-])(citegrid(?:-server)?) +([^|;&<>()#\n]+)"
)
MAKE = re.compile(r"(?:^|[\s`(])make ([a-z][a-z-]*)", re.MULTILINE)
MODULE = re.compile(r"python -m ((?:app|bench|workers)[\w.]*)")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
VARIABLE = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")


def prose(text: str) -> str:
    """A page without its code."""
    lines = FENCE.sub("", text).splitlines()
    return SPAN.sub("", "\n".join(line for line in lines if not line.startswith("    ")))


def code(text: str) -> str:
    """The code of a page but Python's, a line for each line or span."""
    fenced = [block[3] for block in FENCE.finditer(text) if block[2] != "python"]
    rest = FENCE.sub("", text)
    indented = [line for line in rest.splitlines() if line.startswith("    ")]
    return "\n".join([*fenced, *indented, *SPAN.findall(rest)])


def anchors(text: str) -> set[str]:
    """What a link may name behind # in a page, as GitHub makes it of headings."""
    headings = (SPAN.sub(r"\1", heading).lower() for heading in HEADING.findall(text))
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in headings}


def leads(page: Path, link: str) -> bool:
    """True if the link is another site's, or names a page and a heading of ours."""
    if link.startswith(("https://", "http://")):
        return True
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    there = target.is_relative_to(ROOT) and target.is_file()
    return there and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    links = [(page, link) for page, text in TEXTS.items() for link in LINK.findall(prose(text))]
    assert [(page.name, link) for page, link in links if not leads(page, link)] == []


def unknown(program: click.Command, words: list[str]) -> Iterator[str]:
    """The words of a command line that its program does not take."""
    command = program
    while isinstance(command, click.Group) and words and words[0][0].isalpha():
        name, *words = words
        below = command.get_command(click.Context(command), name)
        if below is None:
            yield name
            return
        command = below
    taken = {name for option in command.params for name in option.opts} | {
        "-h",
        "--help",
        "--version",
    }
    yield from (word for word in words if re.match(r"--?[a-z]", word) and word not in taken)


def test_every_command_is_one_its_program_takes() -> None:
    lines = "\n".join(QUOTED.sub('""', code(text)) for text in TEXTS.values())
    commands = COMMAND.findall(lines)
    assert [each for each in commands if list(unknown(PROGRAMS[each[0]], each[1].split()))] == []


def test_every_target_of_make_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert {target for text in TEXTS.values() for target in MAKE.findall(code(text))} <= targets


def test_every_module_that_is_run_exists() -> None:
    modules = {module for text in TEXTS.values() for module in MODULE.findall(code(text))}
    paths = {module: ROOT / module.replace(".", "/") for module in modules}
    missing = {
        module
        for module, path in paths.items()
        if not path.with_suffix(".py").is_file() and not (path / "__main__.py").is_file()
    }
    assert missing == set()


def test_every_setting_is_one_the_server_reads() -> None:
    named = {name for text in TEXTS.values() for name in VARIABLE.findall(text)}
    ours = {name for name in named if name.partition("_")[0] in FAMILIES}
    assert ours <= SETTINGS | OF_CLIENTS


def test_the_index_of_the_documentation_names_every_page() -> None:
    index = DOCS / "README.md"
    linked = {(DOCS / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    assert set(DOCS.rglob("*.md")) - {index} <= linked


@pytest.mark.parametrize(("folder", "version"), [(".", server_version), ("client", client_version)])
def test_the_changelog_begins_with_the_version_and_its_date(folder: str, version: str) -> None:
    text = (ROOT / folder / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (?!Unreleased)(.+)$", text, re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", released[0])
