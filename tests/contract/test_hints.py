"""What a hint tells somebody to install can be installed: none of our packages is in a registry."""

import re
import tomllib
from collections.abc import Iterator

from tests.installed import ROOT

TEXTS = [
    ROOT / "README.md",
    ROOT / "client" / "README.md",
    *(
        file
        for folder in ("app", "client/citegrid", "deploy", "docs", "workers")
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in ("", ".py", ".md", ".html", ".yml", ".service") and file.is_file()
    ),
]
HINT = re.compile(r"pip install ([^`\n]+)")
LOCK = re.compile(r"requirements/[\w-]+\.lock")
OURS = re.compile(r"\./client(?:\[(\w+)\])?")
NAMED_IN_CODE = re.compile(r'optional\([^)]*, extra="(\w+)"\)')
CLIENT = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = set(CLIENT["project"]["optional-dependencies"])
LOCKED = {
    name
    for lock in ROOT.glob("requirements/*.lock")
    for name in re.findall(r"^([a-z0-9.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE)
}


def hints() -> Iterator[tuple[str, str]]:
    """File and arguments of each, with the parts of a string or a command put together."""
    for file in TEXTS:
        text = re.sub(r'"\s*\n\s*f?"|\\\n\s*', " ", file.read_text(encoding="utf-8"))
        for arguments in HINT.findall(text):
            yield str(file.relative_to(ROOT)), arguments


def named(arguments: str) -> list[str]:
    """What would be installed, without options."""
    return [word for word in re.findall(r"[^\s'\"]+", arguments) if not word.startswith("-")]


HINTS = list(hints())


def test_hints_are_found_in_code_in_pages_and_in_documents() -> None:
    assert {"app", "client", "deploy", "docs"} <= {file.split("/")[0] for file, _ in HINTS}


def can_be_installed(arguments: str) -> bool:
    locks, ours = LOCK.findall(arguments), OURS.search(arguments)
    if ours:
        return ours[1] is None or ours[1] in EXTRAS
    if locks:
        return all((ROOT / lock).exists() for lock in locks)
    return named(arguments)[0] in LOCKED | {"."}


def test_a_hint_names_what_can_be_installed() -> None:
    assert [hint for hint in HINTS if not can_be_installed(hint[1])] == []


def test_an_extra_that_a_command_of_the_client_asks_for_is_there() -> None:
    code = (ROOT / "client" / "citegrid").rglob("*.py")
    asked = {x for file in code for x in NAMED_IN_CODE.findall(file.read_text(encoding="utf-8"))}
    assert asked == EXTRAS
