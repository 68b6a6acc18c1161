"""Files of every format in a folder: found by their words, or refused for a reason."""

from pathlib import Path

from app.engine.pages.formats.media_types import CSV, DOCX, EPUB, TSV
from tests.integration.corpora.sites import FILLER, Operator, Site
from tests.unit.engine.pages.packages import docx, epub, paragraph
from tests.unit.engine.pages.pdf_bytes import pdf


def test_files_of_every_format_are_found_by_their_words_or_say_why_not(
    operator: Operator, site: Site, tmp_path: Path
) -> None:
    files = {
        "a.docx": docx(paragraph(f"An aardvark. {FILLER}")),
        "b.epub": epub(f"<p>A badger. {FILLER}</p>"),
        "c.csv": f"Animal,Note\nCamel,{FILLER}\n".encode(),
        "d.pdf": pdf([(11, 700, "A dingo."), (11, 680, FILLER)]),
        "e.tsv": f"Animal\tNote\nEmu\t{FILLER}\n".encode(),
    }
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "f.docx").write_bytes(b"no package")
    operator.add("zoo", "folder", str(tmp_path))
    assert operator.refresh("zoo").state == "succeeded"
    animals = ("aardvark", "badger", "camel", "dingo", "emu")
    found = [operator.found(animal) for animal in animals]
    assert found == [[f"corpus://zoo/{name}"] for name in files]
    assert operator.outcomes(site)["corpus://zoo/f.docx"] == "damaged"


def test_files_that_a_site_links_to_are_found_by_their_words(
    operator: Operator, site: Site
) -> None:
    files = {
        "/a.docx": (DOCX, docx(paragraph(f"An aardvark. {FILLER}"))),
        "/b.epub": (EPUB, epub(f"<p>A badger. {FILLER}</p>")),
        "/c.csv": (CSV, f"Animal,Note\nCamel,{FILLER}\n".encode()),
        "/d.tsv": (TSV, f"Animal\tNote\nDingo\t{FILLER}\n".encode()),
        "/e.docx": (DOCX, b"no package"),
    }
    site.page("/", "Files", *files)
    for path, (media_type, body) in files.items():
        site.pages[path] = 200, {"Content-Type": media_type}, body
    operator.add("zoo", "site", f"{site.url}/")
    assert operator.refresh("zoo").state == "succeeded"
    found = [operator.found(animal) for animal in ("aardvark", "badger", "camel", "dingo")]
    assert found == [[f"{site.url}{path}"] for path in ("/a.docx", "/b.epub", "/c.csv", "/d.tsv")]
    assert operator.outcomes(site)["/e.docx"] == "damaged"
