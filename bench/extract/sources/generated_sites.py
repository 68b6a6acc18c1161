"""Sites of one template each, with the facts of every page known before it was made.

Programs of Debian make the pages from a database that is the truth: Tellico's templates from what
a package says of itself, gitweb and MHonArc from the entries of changelogs; and MPICH's pages of
functions have man pages beside them. Fetched with apt; what cannot be had is skipped.
"""

import gzip
import html
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final

from lxml import etree

from bench.extract.data import Page
from bench.extract.indexed_manuals import fetch

_SEED: Final = 20261128
_PAGES: Final = 10
_TEMPLATES: Final = {"Default": "1", "Fancy": "1", "Compact": "1", "Album": "4", "Video": "3"}
"""By name the kind of collection that it shows."""
_TELLICO: Final = "http://periapsis.org/tellico/"
_CONTROL: Final = {
    "name": "Package", "version": "Version", "maintainer": "Maintainer", "section": "Section",
    "homepage": "Homepage", "summary": "Description",
}  # fmt: skip
_CHANGES: Final = ("git-doc", "apache2-doc")
_ENTRY: Final = re.compile(
    r"^\S+ \((?P<version>[^)]+)\).*?\n(?P<text>.*?)\n"
    r" -- (?P<author>[^<\n]+) <(?P<mail>[^>\n]+)>  (?P<date>[^\n]+)$",
    re.MULTILINE | re.DOTALL,
)
_MAN_NAME: Final = re.compile(r"\.SH NAME\s*\n(\S+) \\-\s+(.+)")
_TEXT: Final = {"type": "string"}

Facts = Mapping[str, str]
Site = tuple[str, Mapping[str, Any], list[Page]]
"""Its name, the schema that its pages are asked for, and the pages."""


def sites(folder: Path) -> Iterator[Site]:
    """All that can be made; packages are in the folder, or put there."""
    for make in (_tellico, _gitweb, _mhonarc, _mpich):
        yield from make(folder)


def _site(name: str, pages: Sequence[tuple[str, Mapping[str, Any]]]) -> Site:
    fields = dict.fromkeys((field for _, truth in pages for field in truth), _TEXT)
    schema = {"type": "object", "properties": fields}
    made = [
        Page(name, f"http://{name}.example/{number}.html", markup, dict(truth))
        for number, (markup, truth) in enumerate(pages)
    ]
    return name, schema, made


def _unpacked(package: str, folder: Path) -> Path | None:
    root = folder / package
    if not root.exists() and (why := fetch(package, root)):
        print(f"skipped: {package}: {why}")
        return None
    return root


def _tellico(folder: Path) -> Iterator[Site]:
    root = _unpacked("tellico-data", folder)
    if root is None:
        return
    packages = _packages(len(_TEMPLATES) * _PAGES)
    for number, (template, kind) in enumerate(_TEMPLATES.items()):
        style = etree.parse(root / f"usr/share/tellico/entry-templates/{template}.xsl")
        show = etree.XSLT(style)
        its = packages[number * _PAGES : (number + 1) * _PAGES]
        pages = [(str(show(_collection(facts, kind))), _spoken(facts)) for facts in its]
        yield _site(f"tellico-{template.lower()}", pages)


def _packages(number: int) -> list[Facts]:
    """What packages drawn by the seed say of themselves, by field of the schema."""
    listed = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=False)
    names = random.Random(_SEED).sample(sorted(listed.stdout.split()), 6 * number)
    shown = subprocess.run(
        ["apt-cache", "show", "--no-all-versions", *names],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: list[Facts] = []
    for each in shown.stdout.split("\n\n"):
        stated = dict(re.findall(r"^([A-Z][\w-]+?)(?:-en)?: (.*)$", each, re.MULTILINE))
        if all(label in stated for label in _CONTROL.values()):
            found.append({field: stated[label] for field, label in _CONTROL.items()})
    return found[:number]


def _spoken(facts: Facts) -> dict[str, Any]:
    """A person may be given with the address or without it."""
    return {
        name: [value, value.partition(" <")[0]] if " <" in value else value
        for name, value in facts.items()
    }


def _collection(facts: Facts, kind: str) -> etree._Element:
    def below(above: etree._Element, tag: str, text: str = "", **stated: str) -> etree._Element:
        made = etree.SubElement(above, f"{{{_TELLICO}}}{tag}", stated)
        made.text = text
        return made

    root = etree.Element(f"{{{_TELLICO}}}tellico", {"syntaxVersion": "11"})
    collection = below(root, "collection", title="Packages", type=kind, entryTitle="Packages")
    fields = below(collection, "fields")
    for name, label in _CONTROL.items():
        stated = {"title": label, "category": "General", "flags": "8", "format": "4", "type": "1"}
        below(fields, "field", name="title" if name == "name" else name, **stated)
    entry = below(collection, "entry", id="1")
    for name, value in facts.items():
        below(entry, "title" if name == "name" else name, value)
    return root


def _changes(package: str, folder: Path) -> list[Facts]:
    """The entries of the changelog of a package, newest first."""
    root = _unpacked(package, folder)
    path = next(root.rglob("changelog.Debian.gz"), None) if root else None
    text = gzip.decompress(path.read_bytes()).decode(errors="replace") if path else ""
    return [dict(match.groupdict()) for match in _ENTRY.finditer(text)]


def _gitweb(folder: Path) -> Iterator[Site]:
    root, cgi = _unpacked("git", folder), _unpacked("libcgi-pm-perl", folder)
    changes = _changes(_CHANGES[0], folder)[: 3 * _PAGES : 3]
    if not (root and cgi and changes):
        return
    script = root / "usr/share/gitweb/gitweb.cgi"
    with tempfile.TemporaryDirectory() as temporary:
        repository = Path(temporary) / "project.git"
        commits = _committed(repository, changes)
        config = Path(temporary) / "config"
        config.write_text(f"$projectroot = '{temporary}';\n$omit_owner = 0;\n")
        pages = [
            (_answer(script, cgi, config, f"p=project.git;a=commit;h={commit}"), truth)
            for commit, truth in commits
        ]
    yield _site("gitweb", pages)


def _committed(repository: Path, changes: Sequence[Facts]) -> list[tuple[str, dict[str, Any]]]:
    """A commit for each change, with what its page says."""
    git = ("git", "-C", str(repository))
    subprocess.run(["git", "init", "-q", "--bare", str(repository)], check=True)
    tree = subprocess.run([*git, "mktree"], input="", capture_output=True, text=True, check=True)
    made: list[tuple[str, dict[str, Any]]] = []
    before: list[str] = []
    for each in reversed(changes):
        title, body = _title(each), each["text"].strip()
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", each["author"]),
                ("EMAIL", each["mail"]),
                ("DATE", each["date"]),
            )
        }
        commit = subprocess.run(
            [*git, "commit-tree", tree.stdout.strip(), *before, "-m", title, "-m", body],
            capture_output=True, text=True, check=True, env={**os.environ, **who},
        ).stdout.strip()  # fmt: skip
        before = ["-p", commit]
        truth = {
            "title": title,
            "author": [each["author"], f"{each['author']} <{each['mail']}>"],
            "commit": commit,
            "tree": tree.stdout.strip(),
        }
        made.append((commit, truth))
    subprocess.run([*git, "update-ref", "refs/heads/main", made[-1][0]], check=True)
    return made


def _title(each: Facts) -> str:
    return f"Release {each['version']}"


def _answer(script: Path, cgi: Path, config: Path, query: str) -> str:
    stated = {
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "SCRIPT_NAME": "/gitweb",
        "QUERY_STRING": query, "GITWEB_CONFIG": str(config), "SERVER_NAME": "gitweb.example",
        "PERL5LIB": str(cgi / "usr/share/perl5"),
    }  # fmt: skip
    answer = subprocess.run(
        ["perl", str(script)], capture_output=True, check=True, env={**os.environ, **stated}
    )
    return answer.stdout.decode(errors="replace").partition("\r\n\r\n")[2]


def _mhonarc(folder: Path) -> Iterator[Site]:
    root, changes = _unpacked("mhonarc", folder), _changes(_CHANGES[1], folder)[:_PAGES]
    if not (root and changes):
        return
    with tempfile.TemporaryDirectory() as temporary:
        box = Path(temporary) / "box"
        box.write_text("".join(map(_message, changes)))
        subprocess.run(
            ["perl", str(root / "usr/bin/mhonarc"), "-quiet", "-outdir", temporary, str(box)],
            check=True, capture_output=True,
            env={**os.environ, "PERL5LIB": str(root / "usr/share/mhonarc")},
        )  # fmt: skip
        pages = []
        for path in sorted(Path(temporary).glob("msg*.html")):
            markup = path.read_text(encoding="utf-8", errors="replace")
            title = re.search("<title>(.*?)</title>", markup, re.IGNORECASE | re.DOTALL)
            said = html.unescape(title[1]).strip() if title else ""
            pages += [(markup, _said(each)) for each in changes if said == _title(each)]
    yield _site("mhonarc", pages)


def _message(each: Facts) -> str:
    sent = parsedate_to_datetime(each["date"])
    return (
        f"From {each['mail']} {sent:%a %b %d %H:%M:%S %Y}\n"
        f"From: {each['author']} <{each['mail']}>\n"
        f"To: changes@lists.example\nSubject: {_title(each)}\nDate: {each['date']}\n"
        f"Message-ID: <{each['version']}@lists.example>\n\n{each['text'].strip()}\n\n"
    )


def _said(each: Facts) -> dict[str, Any]:
    return {
        "subject": _title(each),
        "from": [each["author"], f"{each['author']} <{each['mail']}>"],
        "to": "changes@lists.example",
        "date": [each["date"], f"{parsedate_to_datetime(each['date']):%d %b %Y}"],
    }


def _mpich(folder: Path) -> Iterator[Site]:
    root = _unpacked("mpich-doc", folder)
    pages = []
    for path in sorted(root.rglob("man3/*.3.gz")) if root else []:
        match = _MAN_NAME.search(gzip.decompress(path.read_bytes()).decode(errors="replace"))
        shown = next(root.rglob(f"www3/{path.name[:-5]}.html"), None) if root else None
        if match and shown:
            truth = {"function": match[1], "description": " ".join(match[2].split())}
            pages.append((shown.read_text(errors="replace"), truth))
    if pages:
        yield _site("mpich", pages[:: len(pages) // _PAGES][:_PAGES])
