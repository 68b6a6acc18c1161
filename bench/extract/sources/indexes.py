"""The objects that a manual describes, by page and role, as an index in its package lists them.

Sphinx writes `objects.inv`, gtk-doc and its kin a `.devhelp2`, javadoc `member-search-index.js`,
texinfo pages of index entries.
"""

import html
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote
from xml.etree import ElementTree

Index = dict[str, dict[str, set[str]]]
"""The names that each page describes, by role."""

_NO_OBJECTS: Final = frozenset({"std:label", "std:doc", "std:term"})
_ENTRY: Final = re.compile(r"(.+?) (\S+:\S+) -?\d+ (\S+) .*")
_QUOTED: Final = re.compile(r"“(.+?)”")
_TITLE: Final = re.compile(r"<title>([^<]*?)(?:\bIndex\b|\bSummary\b)", re.IGNORECASE)
_INDEXED: Final = re.compile(
    r'<a href="([^"#]+\.html)#(?:index-|XREF)[^"]*">(?:<code[^>]*>)?([^<]+)(?:</code>)?</a>'
)
_FEWEST: Final = 10  # entries that make a page one of an index


def index_in(root: Path) -> tuple[Path, Index] | None:
    """The folder of the pages of an unpacked package and their index; None if it has none."""
    for read in (_sphinx, _devhelp, _javadoc, _texinfo):
        for folder, index in read(root):
            return folder, index
    return None


def role_of(index: Index) -> str:
    """The commonest role."""
    counted: Counter[str] = Counter()
    for its in index.values():
        counted.update({role: len(its[role]) for role in its if not role.endswith("Param")})
    return max(counted, key=lambda each: counted[each], default="py:function")


def _sphinx(root: Path) -> Iterator[tuple[Path, Index]]:
    for inventory in sorted(root.rglob("objects.inv")):
        yield inventory.parent, index_of(inventory.read_bytes())


def index_of(inventory: bytes) -> Index:
    """The objects of an index of version 2, by page and role."""
    index: Index = defaultdict(lambda: defaultdict(set))
    for line in zlib.decompress(inventory.split(b"\n", 4)[4]).decode().splitlines():
        if (match := _ENTRY.fullmatch(line)) and match[2] not in _NO_OBJECTS:
            page = match[3].partition("#")[0]
            if not match[2].endswith(":module"):
                index[page][match[2]].add(match[1])
    return index


def _devhelp(root: Path) -> Iterator[tuple[Path, Index]]:
    for book in sorted(root.rglob("*.devhelp2")):
        if not book.is_file():
            continue
        index: Index = defaultdict(lambda: defaultdict(set))
        for each in ElementTree.parse(book).iter():
            page, role = each.get("link", "").partition("#")[0], each.get("type")
            if each.tag.endswith("keyword") and role and (name := each.get("name")):
                quoted = _QUOTED.search(name)
                bare = quoted[1] if quoted else name.removeprefix(f"{role} ")
                index[page][f"c:{role}"].add(bare.partition("(")[0].strip())
        yield book.parent, index


def _javadoc(root: Path) -> Iterator[tuple[Path, Index]]:
    for listed in sorted(root.rglob("member-search-index.js")):
        index: Index = defaultdict(lambda: defaultdict(set))
        entries = re.search(r"\[.*\]", listed.read_text(encoding="utf-8"), re.DOTALL)
        for each in json.loads(entries[0]) if entries else ():
            if each.keys() >= {"p", "c", "l"}:
                page = f"{each['p'].replace('.', '/')}/{each['c']}.html"
                role = "java:method" if "(" in each["l"] else "java:field"
                index[page][role].add(each["l"].partition("(")[0])
        yield listed.parent, index


def _texinfo(root: Path) -> Iterator[tuple[Path, Index]]:
    folders: dict[Path, Index] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    for path in sorted(filter(Path.is_file, root.rglob("*.html"))):
        text = path.read_text(encoding="utf-8", errors="replace")
        found = _INDEXED.findall(text)
        if len(found) >= _FEWEST and "ndex" in path.name:
            title = _TITLE.search(text)
            words = re.findall(r"[a-z]+", title[1].lower()) if title else []
            role = words[-1].removesuffix("s") if words else "function"
            for page, name in found:
                if role not in ("concept", "general"):
                    folders[path.parent][unquote(page)][f"index:{role}"].add(html.unescape(name))
    yield from folders.items()
