"""What stands behind other passages whatever its words, and for which questions it does not."""

import pytest

from app.engine.search.demotion import (
    FOREIGN,
    NAVIGATION,
    NEWS,
    OUTDATED,
    SOURCE_CODE,
    Demotion,
    is_index,
    is_news,
    is_source_code,
)
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import parse

HOST = "https://docs.example.org"
QUESTION = "What is the minimum version of the compiler?"


def passage(title: str = "", path: str = "", *headings: str, **facts: object) -> IndexedPassage:
    return IndexedPassage(
        1, "s", "A compiler.", title, headings, language="en",
        url=HOST + path, **facts,  # type: ignore[arg-type]
    )  # fmt: skip


def standing(question: str, one: IndexedPassage, *others: IndexedPassage) -> float:
    return Demotion(parse(question, ["en"]), [one, *others]).of(one)


@pytest.mark.parametrize(
    "title",
    [
        "What’s New In Python 3.9", "whats new", "Changelog", "Release Notes", "Release 15.2",
        "Version history", "Changes in version 2.4", "Upgrading to 2.4 from 2.2",
        "Overview of new features in Apache 2.4", "News — Product", "Changes",
        "Neuerungen in 4.2", "Versionshinweise", "Nouveautés de la version 3", "Notes de version",
        "Novedades", "Notas de la versión", "Note di rilascio", "Что нового", "変更履歴",
    ],
)  # fmt: skip
def test_a_title_tells_a_list_of_changes(title: str) -> None:
    assert is_news(passage(title))


@pytest.mark.parametrize(
    "path",
    [
        "/whatsnew/3.9.html", "/releaselog/3_10_0.html", "/release-15-2.html", "/a/CHANGELOG.md",
        "/NEWS", "/new_features_2_4.html", "/relnotes/7.html", "/release-notes/", "/docs/changes",
    ],
)  # fmt: skip
def test_an_address_tells_a_list_of_changes(path: str) -> None:
    assert is_news(passage("Product", path))


def test_a_heading_tells_a_list_of_changes() -> None:
    assert is_news(passage("Product", "/readme", "Product", "Changelog", "1.2"))


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Schema changes", "/schema-changes.html"), ("Release a lock", "/release.html"),
        ("A brief history of birds", "/birds"), ("Renewable energy", "/news/energy.html"),
        ("RELEASE SAVEPOINT", "/sql-release-savepoint.html"), ("Tracking changes", "/tracking"),
        ("Migrating data", "/data"), ("How to change a password", "/password"),
    ],
)  # fmt: skip
def test_other_titles_and_addresses_do_not(title: str, path: str) -> None:
    assert not is_news(passage(title, path))


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Index — Python 3.11 documentation", "/genindex-P.html"), ("Index", "/x.html"),
        ("Table of Contents", "/"), ("Stichwortverzeichnis", "/s"), ("Product", "/bookindex.html"),
        ("Site Map - Server", "/map.html"), ("索引", "/i"),
    ],
)  # fmt: skip
def test_a_title_or_an_address_tells_an_index(title: str, path: str) -> None:
    assert is_index(passage(title, path))


@pytest.mark.parametrize(
    ("title", "path"),
    [("CREATE INDEX", "/sql-createindex.html"), ("Indexes", "/indexes.html"), ("A", "/index.html")],
)
def test_a_page_about_indexes_is_none(title: str, path: str) -> None:
    assert not is_index(passage(title, path))


def test_an_index_stands_behind_text() -> None:
    assert standing(QUESTION, passage("Index")) == NAVIGATION


@pytest.mark.parametrize(
    "path",
    [
        "/en/_modules/celery/app/base.html", "/_modules/index.html", "/src/serde/de/mod.rs.html",
        "/html/main_8cpp_source.html", "/api/src-html/java/lang/String.html#line.9",
    ],
)  # fmt: skip
def test_a_listing_of_source_code_stands_behind_text(path: str) -> None:
    assert standing(QUESTION, passage("celery.app.base", path)) == SOURCE_CODE


@pytest.mark.parametrize(
    "path",
    ["/open_source.html", "/src/guide.html", "/modules/mod_ssl.html", "/how-to/_modules.html"],
)
def test_a_page_about_source_code_does_not(path: str) -> None:
    assert not is_source_code(passage("Source code", path))


@pytest.mark.parametrize(
    "question",
    [QUESTION, "Which version of the compiler is required?", "Which releases are supported?"],
)
def test_news_stand_behind_for_a_question_about_what_is_so(question: str) -> None:
    assert standing(question, passage("Release notes")) == NEWS


@pytest.mark.parametrize(
    "question",
    [
        "What is new?", "What changed in the compiler?", "When was the compiler added?",
        "In which version was it introduced?", "Since which version does it work?",
        "What is the latest version?", "Was wurde geändert?", "¿Qué cambios hay?",
        "How do I upgrade?",
    ],
)  # fmt: skip
def test_news_do_not_stand_behind_for_a_question_about_what_changed(question: str) -> None:
    assert standing(question, passage("Release notes")) == 1


@pytest.mark.parametrize(("question", "expected"), [("Compiler of 3.9?", 1), ("Of 3.8?", NEWS)])
def test_a_question_that_names_a_version_wants_the_news_of_that(
    question: str, expected: float
) -> None:
    assert standing(question, passage("What's new in 3.9")) == expected


def test_a_question_about_changes_of_a_version_wants_no_news_of_another() -> None:
    question = "What changed in version 3.9?"
    titles = ("What's new in 3.9 — Product 3.11", "What's new in 3.8 — Product 3.9")
    assert [standing(question, passage(title)) for title in titles] == [1, NEWS]


def test_an_outdated_page_stands_behind() -> None:
    assert (
        standing(QUESTION, passage("Compilers", "/9.1/compilers.html", outdated=True)) == OUTDATED
    )


def test_a_page_stands_behind_a_newer_version_of_it() -> None:
    old, new = (passage("Compilers", f"/{n}/compilers.html") for n in ("3.6", "3.11"))
    assert (standing(QUESTION, old, new), standing(QUESTION, new, old)) == (OUTDATED, 1)


def test_an_old_version_that_the_question_names_does_not_stand_behind() -> None:
    old, new = (passage("Compilers", f"/{n}/compilers.html") for n in ("3.6", "3.11"))
    assert standing("Minimum compiler in 3.6", old, new) == 1


@pytest.mark.parametrize(("language", "expected"), [("pt", FOREIGN), ("en", 1), (None, 1)])
def test_a_passage_in_another_language_stands_behind_where_others_are_in_the_questions(
    language: str | None, expected: float
) -> None:
    one = IndexedPassage(1, "s", "Um texto.", language=language)
    assert standing(QUESTION, one, passage()) == expected


def test_where_all_is_in_another_language_nothing_stands_behind() -> None:
    assert standing(QUESTION, IndexedPassage(1, "s", "Um texto.", language="pt")) == 1
