"""What can be held of our words: names and openings of docstrings (see STYLE.md)."""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("app", "workers", "client/citegrid")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)
MOST_CHILDREN = 15
# Words that end alike and are names of things.
THINGS = {
    "autoscaling", "encoding", "grounding", "listing", "polling", "pricing", "ranking", "rendering",
    "streaming", "wiring",
}  # fmt: skip
# A search is one to callers, in the client, in its tools and in the store.
SHARED_NAMES = {"Search"}
QUESTIONS = ("What", "Whether", "How", "Who", "Whoever", "Which", "Where", "Those", "Whatever")
# Their docstrings are texts of the interface: the document, help, messages.
PUBLIC = re.compile(r"\.(get|post|put|patch|delete)\(|filter|command|group|tool|resource|prompt")


@dataclass
class Facts:
    """What the tests here ask of the files, which are parsed once."""

    classes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By name, the files that define one."""
    handed_on: list[str] = field(default_factory=list)
    asking: list[str] = field(default_factory=list)
    """Docstrings that open with a question."""


@pytest.fixture(scope="module")
def facts() -> Facts:
    found = Facts()
    for path in FILES:
        name, tree = str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.classes[node.name].append(name)
            if isinstance(node, ast.ImportFrom) and path.name != "__init__.py":
                names = [alias.name for alias in node.names if alias.asname == alias.name]
                found.handed_on += [f"{name}: {each}" for each in names]
        found.asking += [
            f"{name}: {text.splitlines()[0]}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and not is_public(node)
            and (text := ast.get_docstring(node) or "")
            and text.split()[0].rstrip(",:") in QUESTIONS
        ]
    return found


def test_no_file_is_named_by_a_gerund() -> None:
    named = {path.stem for path in FILES if path.stem.endswith("ing")}
    assert {stem for stem in named if stem.rpartition("_")[2] not in THINGS} == set()


@pytest.mark.parametrize("top", ["app", "workers", "client/citegrid"])
def test_a_folder_can_be_held_in_mind(top: str) -> None:
    children: dict[Path, set[str]] = defaultdict(set)
    for path in (path.relative_to(ROOT) for path in FILES):
        for parent in path.parents:
            child = path.relative_to(parent).parts[0]
            if parent.is_relative_to(top) and child != "__init__.py":
                children[parent].add(child)
    assert {
        str(folder): len(names) for folder, names in children.items() if len(names) > MOST_CHILDREN
    } == {}


def test_a_class_name_stands_in_two_places_at_most(facts: Facts) -> None:
    """On the server and in the client's mirror of it."""
    crowded = {name: files for name, files in facts.classes.items() if len(files) > 2}
    assert {name: files for name, files in crowded.items() if name not in SHARED_NAMES} == {}


def test_names_are_imported_from_where_they_are_defined(facts: Facts) -> None:
    assert facts.handed_on == []


def test_docstrings_say_what_the_thing_is_or_does(facts: Facts) -> None:
    assert facts.asking == []


def is_public(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        bases = " ".join(ast.unparse(base) for base in node.bases)
        return node.name.endswith(("Schema", "In", "Out")) or "Shape" in bases or "Error" in bases
    decorators = getattr(node, "decorator_list", [])
    return any(PUBLIC.search(ast.unparse(each)) for each in decorators)
