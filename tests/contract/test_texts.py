"""What can be held of the texts that people read: turns that give away translated thought."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import interface

ROOT = Path(__file__).parents[2]
GIVEAWAYS = re.compile(
    r"""
      \bformer\b
    | \bheard\ of\b | \blately\b | \bof\ late\b | \bany\ more\b | \bat\ the\ latest\b
    | \b(any|some)body\ else\b | \bof\ strangers\b | \bevery\ wall\b
    | \b[Ww]hoever\b | \b[Ww]hat\ (became|becomes|came)\ of\b
    | \bstands?\ (here|below|above|beside)\b | \bhurr(y|ies)\b | \bare\ whole\b
    | \b(is|are)\ away\b | \bprove\ themselves\b | \bLead\ of\ votes\b
    | \bgive[sn]?\ away\b | \bworks?:\ no\ longer\b | \bhappens\ later\b
    | \bthat\ which\b | \b(can|could)(not)?\ be\ had\b | \bsign\ of\ life\b | \bborn\ as\b
    | \bsecond\ wall\b | \bof\ another\ opinion\b | \b[Nn]obody\ is\ told\b
    | \bfor\ ever\b | \b[Ww]hat\ is\ (beyond|missed)\b | \bhowever\ that\ ends\b
    """,
    re.VERBOSE,
)
# What guides said before they were rewritten; explanations go by the list above only.
GUIDES = re.compile(
    r"""
      \bfor\s+the\s+operator\s+to\s+allow\b | \bgoe?s?\s+by\s+words\b
    | \b(is|are|be)\s+told\s+of\b | \bgoe?s?\s+on\s+meanwhile\b | \bhears?\s+of\b
    | \bsays\s+until\s+when\b | \b[Hh]ave\s+it\s+sent\b | \bis\s+taken\s+at\b
    | \bnothing\s+of\s+it\b | \bwas\s+away\b
    """,
    re.VERBOSE,
)
# Claims beyond what was compared (see STYLE.md).
CLAIMS = re.compile(r"\bVerified\b|\bNOT verified\b|still says? (this|so)")
DOCUMENTS = sorted(
    path for path in [*ROOT.glob("*/README.md"), ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
)
TEMPLATES = sorted((ROOT / "app/web/templates").rglob("*.html"))
COMMANDS = sorted(
    path
    for folder in ("client/citegrid/cli", "app/local")
    for path in (ROOT / folder).rglob("*.py")
)
_JINJA = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)
_QUOTED = re.compile(r'"([^"]*)"')
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def shown(template: str) -> str:
    """The words of a template: what is outside of tags, and the texts handed to macros."""
    tags = " ".join(_JINJA.findall(re.sub(r"{#.*?#}", "", template, flags=re.DOTALL)))
    return f"{_JINJA.sub(' ', template)} {' | '.join(_QUOTED.findall(tags))}"


def spoken(source: str) -> Iterator[str]:
    """The texts of a module: not its docstrings, save those of commands, which are their help."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and "command(" in " ".join(
            map(ast.unparse, node.decorator_list)
        ):
            yield ast.get_docstring(node) or ""
        elif isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)


def turns(text: str) -> list[str]:
    return [found.group(0) for found in GIVEAWAYS.finditer(text)]


def said(node: Any) -> Iterator[str]:
    """The texts of the interface's document; messages of errors are among them."""
    if isinstance(node, dict):
        texts = (node.get(name) for name in ("summary", "description"))
        yield from (text for text in texts if isinstance(text, str))
    if isinstance(node, dict | list):
        for each in node.values() if isinstance(node, dict) else node:
            yield from said(each)


@pytest.mark.parametrize(
    "text",
    [
        "What programs prove themselves with",
        "The former secret works: no longer",
        "Documents of strangers are read behind every wall",
        "No dispatcher was heard of lately",
        "Everything that happens later, of all accounts",
        "no key of anybody else",
        "pages are whole",
        "none could be had where this was built",
        "no process can be of another opinion",
        "Nobody is told when a cable is pulled",
    ],
)
def test_the_turns_that_gave_it_away_are_known(text: str) -> None:
    assert turns(text)


def test_templates_speak_plain_english() -> None:
    found = {path.name: turns(shown(path.read_text("utf-8"))) for path in TEMPLATES}
    assert {name: words for name, words in found.items() if words} == {}


def test_commands_speak_plain_english() -> None:
    found = {
        f"{path.relative_to(ROOT)}": turns(" | ".join(spoken(path.read_text("utf-8"))))
        for path in COMMANDS
    }
    assert {name: words for name, words in found.items() if words} == {}


def test_the_interface_and_its_errors_speak_plain_english() -> None:
    assert [text for text in said(interface.document()) if turns(text)] == []


def test_documents_speak_plain_english() -> None:
    found = {
        f"{path.relative_to(ROOT)}": turns(_CODE.sub(" ", path.read_text("utf-8")))
        for path in DOCUMENTS
    }
    assert {name: words for name, words in found.items() if words} == {}


def test_guides_say_who_does_what() -> None:
    guides = [path for path in DOCUMENTS if path.parent.name not in ("explanation", "reference")]
    found = {
        f"{path.relative_to(ROOT)}": [hit[0] for hit in GUIDES.finditer(path.read_text("utf-8"))]
        for path in guides
    }
    assert {name: words for name, words in found.items() if words} == {}


def test_pages_and_commands_claim_no_more_than_was_compared() -> None:
    texts = {path.name: shown(path.read_text("utf-8")) for path in TEMPLATES}
    texts |= {str(path): " | ".join(spoken(path.read_text("utf-8"))) for path in COMMANDS}
    found = {name: CLAIMS.findall(text) for name, text in texts.items()}
    assert {name: claims for name, claims in found.items() if claims} == {}
