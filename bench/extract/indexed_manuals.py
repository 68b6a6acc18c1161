"""Ten manuals of Debian that nobody looked at, with the truth made of their own indexes.

Run `python -m bench.extract.indexed_manuals [--folder DIR]`. The packages were drawn before one was
opened: `random.Random(22).sample(names, 10)` of the `-doc` packages that need `libjs-sphinxdoc`.
They are fetched with apt into the folder, a temporary one by default; where they cannot be had the
benchmark says so and is skipped.

The index of a manual lists what it describes, by role and page. The field asked
for is its commonest role, with a description. A name is right if it is the full or the last name
of one of the page's objects of that role, without its arguments. Other objects of the page count
neither way; pages without any object should have no record.
"""

import argparse
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.readings import Readings
from app.engine.extraction.records.records import Record, assemble
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site.consensus import learn
from app.engine.pages.page import PageUnreadable
from bench.extract.sources.indexes import index_in, role_of

PACKAGES: Final = (
    "openshot-qt-doc",
    "python-certbot-doc",
    "coreboot-utils-doc",
    "python-pyrcb2-doc",
    "python-moderngl-doc",
    "python-aodhclient-doc",
    "python-sqlalchemy-utils-doc",
    "mopidy-doc",
    "python-tosca-parser-doc",
    "python-requests-doc",
)
FITTED: Final = (
    "xtensor-doc", "python-tackerclient-doc", "python-django-captcha-doc", "python-wrapt-doc",
    "libfmt-doc", "ceilometer-doc", "python-pbr-doc", "python-django-filters-doc",
    "python-hexbytes-doc", "python-flask-restful-doc", "python-nose-doc",
    "python-mongoengine-doc", "libplank-doc", "libfelix-gogo-runtime-java-doc", "octave-doc",
    "libtiff-doc", "libgda-5.0-doc", "libsezpoz-java-doc", "zsh-doc",
)  # fmt: skip
"""Others, which weights are fitted to: drawn by `random.Random(23)` in the same way, and the last
eight by seed 20261128 from packages with an index of Sphinx, of devhelp, of javadoc, of texinfo."""
LAST: Final = (
    "python-ansible-runner-doc", "jenkins-job-builder-doc", "python-stevedore-doc",
    "libjexcelapi-java-doc", "libspin-java-doc", "libowasp-antisamy-java-doc",
    "libtemplate-glib-doc", "libfprint-2-doc",
)  # fmt: skip
"""Drawn by seed 20261129 from the packages of each kind that had not been used, those without an
index of thirty objects left out; read before and after a change, and since then looked at."""
NEWEST: Final = (
    "python-txtorcon-doc", "python-future-doc", "libcommons-codec-java-doc",
    "libparsington-java-doc", "libtracker-doc",
)  # fmt: skip
"""Drawn by seed 20261130 in the same way, two of each kind (of devhelp one was found)."""
ABSENT: Final = ("museum", "ingredient", "disease", "planet", "novel", "bird")
"""What a manual may be asked for that it does not have: the one of these in turn that is no role of
its index."""
HALVES: Final = {"fit": FITTED, "judged": PACKAGES}
MOST_PAGES: Final = 40
_SURE: Final = 0.9
_BEFORE: Final = re.compile(
    r"^(?:(?:class|exception|static|async|abstract|property|classmethod|function|method|data"
    r"|attribute|module|option) )+"
)


@dataclass(slots=True)
class Tally:
    """Names right, wrong, missing; sure ones right and wrong; pages without objects, and with
    records all the same."""

    right: int = 0
    wrong: int = 0
    missing: int = 0
    sure: list[bool] = field(default_factory=list)
    empty_pages: int = 0
    wrongly_read: int = 0

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missing)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the packages are or are put")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        for packages in (PACKAGES, LAST, NEWEST):
            report({name: tally for name in packages if (tally := of_manual(name, folder))})
            report_absent([each for name in packages if (each := of_absent(name, folder))])


def report(tallies: dict[str, Tally]) -> None:
    for package, each in tallies.items():
        print(
            f"{package:<30}{each.right:>5} right{each.wrong:>5} wrong{each.missing:>6} missing"
            f"  F1 {each.f1:.3f}  sure {sum(each.sure)}/{len(each.sure)}"
            f"  without objects {each.empty_pages}, read all the same {each.wrongly_read}"
        )
    if not tallies:
        return
    described = [each.f1 for each in tallies.values() if each.right + each.missing]
    sure = [right for each in tallies.values() for right in each.sure]
    empty = sum(each.empty_pages for each in tallies.values())
    wrongly = sum(each.wrongly_read for each in tallies.values())
    print(
        f"{len(tallies)} manuals: macro F1 {fmean(described or [0.0]):.3f}, precision at {_SURE} "
        f"{sum(sure) / max(1, len(sure)):.3f} of {len(sure)}, "
        f"pages that wrongly yield records {wrongly}/{empty}"
    )


def report_absent(asked: Sequence["Foreign"]) -> None:
    for each in asked:
        print(f"{each.package:<30}asked for {each.field_name:<12}{each.read:>4}/{each.pages} pages")
    read, every = sum(each.read for each in asked), sum(each.pages for each in asked)
    print(f"asked for what they do not have: {read}/{every} pages yield records")


class ManualPage(NamedTuple):
    """A page, with the objects that the index knows there by role, and what to ask it for."""

    name: str
    markup: str
    role: str
    objects: dict[str, set[str]]

    @property
    def field_name(self) -> str:
        return self.role.partition(":")[2]

    @property
    def schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        return {"type": "object", "properties": {self.field_name: text, "description": text}}


class Foreign(NamedTuple):
    """How many pages of a manual yield records of something that is not in it."""

    package: str
    field_name: str
    read: int
    pages: int


def absent_in(package: str, found: Sequence["ManualPage"]) -> str:
    """What a manual is asked for though its index has none."""
    roles = {role for page in found for role in page.objects}
    drawn = random.Random(package).sample(ABSENT, len(ABSENT))
    return next(noun for noun in drawn if not any(noun in role for role in roles))


def of_absent(package: str, folder: Path) -> Foreign | None:
    found = list(pages(package, folder))
    if not found:
        return None
    noun = absent_in(package, found)
    asked = [page._replace(role=f"absent:{noun}", objects={}) for page in found]
    wanted = plan(asked[0].schema)
    read = [readings_of(page, wanted) for page in asked]
    template = learn(wanted, read)
    yielded = sum(bool(assemble(wanted, readings, template)) for readings in read)
    return Foreign(package, noun, yielded, len(found))


def of_manual(package: str, folder: Path) -> Tally | None:
    """The pages are read as those of one host are, once some have taught their template."""
    tally = Tally()
    found = list(pages(package, folder))
    wanted = [plan(page.schema) for page in found]
    read = [readings_of(page, its) for page, its in zip(found, wanted, strict=True)]
    template = learn(wanted[0], read) if found else None
    for page, its, readings in zip(found, wanted, read, strict=True):
        count(tally, page, assemble(its, readings, template))
    return tally if found else None


def readings_of(page: "ManualPage", wanted: Plan) -> Readings:
    url = f"http://127.0.0.1/{page.name.rpartition('/')[2]}"
    try:
        return extract(page.markup, url, wanted).readings
    except PageUnreadable:
        return Readings()


def pages(package: str, folder: Path) -> Iterator[ManualPage]:
    """Up to `MOST_PAGES` of a manual, spread over all of them; none where it cannot be had."""
    root = folder / package
    if not root.exists() and (why := fetch(package, root)):
        print(f"skipped: {package}: {why}")
        return
    found = index_in(root)
    if found is None:
        print(f"skipped: {package} has no index")
        return
    folder, index = found
    paths = sorted(filter(Path.is_file, folder.rglob("*.html")))
    for path in paths[:: len(paths) // MOST_PAGES + 1]:
        name = str(path.relative_to(folder))
        markup = path.read_text(encoding="utf-8", errors="replace")
        yield ManualPage(name, markup, role_of(index), index.get(name, {}))


def fetch(package: str, root: Path) -> str | None:
    """Put the files of a package into a folder; why not, where that fails."""
    with tempfile.TemporaryDirectory() as temporary:
        try:
            subprocess.run(
                ["apt-get", "download", "-q", package],
                cwd=temporary, check=True, capture_output=True, timeout=120,
            )  # fmt: skip
            archive = next(Path(temporary).glob("*.deb"))
            root.mkdir(parents=True)
            subprocess.run(
                ["dpkg-deb", "-x", archive, root],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
        except (OSError, StopIteration, subprocess.SubprocessError) as error:
            return type(error).__name__
    return None


def count(tally: Tally, page: ManualPage, records: tuple[Record, ...]) -> None:
    role, objects, field_name = page.role, page.objects, page.field_name
    if not objects:
        tally.empty_pages += 1
        tally.wrongly_read += bool(records)
        return
    names, others = (all_names(its) for its in (objects.get(role, set()), _others(objects, role)))
    found: set[str] = set()
    for name, confidence in _named(records, field_name):
        if name in names:
            found.add(name.rpartition(".")[2])
        elif name in others:
            continue
        tally.right += name in names
        tally.wrong += name not in names
        tally.sure += [name in names] * (confidence >= _SURE)
    short = {_parts(each)[-1] for each in objects.get(role, set())}
    tally.missing += len(short - found)


def _others(objects: dict[str, set[str]], role: str) -> set[str]:
    return {name for each, names in objects.items() if each != role for name in names}


def all_names(names: set[str]) -> set[str]:
    """The names, and each without what it belongs to at every point."""
    return {
        ".".join(parts[at:])
        for name in names
        for parts in (_parts(name),)
        for at in range(len(parts))
    }


def _parts(name: str) -> list[str]:
    """A name, and before it what it belongs to, in the spelling of Python, C++ or RDF."""
    return re.split("[.:]+", name)


def _named(records: tuple[Record, ...], field_name: str) -> Iterator[tuple[str, float]]:
    for record in records:
        if field_name in record.data:
            confidence = next(
                each.confidence for each in record.provenance if each.pointer == f"/{field_name}"
            )
            yield bare(record.data[field_name]), confidence


def bare(name: str) -> str:
    """A name without what it is, and without its arguments."""
    short = _BEFORE.sub("", name.strip()).partition("(")[0].strip()
    return ".".join(_parts(re.split(r"[\s=¶]|:(?![:\w])", short, maxsplit=1)[0]))


if __name__ == "__main__":
    main()
