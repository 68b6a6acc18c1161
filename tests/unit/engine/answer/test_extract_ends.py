"""Extracts of reference pages: which sentence leads, and what of the next subject is left out."""

import pytest

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
PLENTY = (
    "It writes all that is kept in the old file into a new one, leaves out what was deleted, "
    "and puts the new file in the place of the old one when all of it has been written to the disk."
)


def extract(question: str, text: str, *headings: str) -> Extract:
    query = parse(question, ANALYZER)
    read = Evidence(0, text, 0, len(text), 1.0, headings=headings, language="en")
    found = Extracts(query, Overlap(query, IndexStats(1000, 60.0, {})), ANALYZER).of(read)
    assert found is not None
    return found


def shown(question: str, text: str) -> str:
    x = extract(question, text)
    return text[x.start : x.end]


def lead(question: str, text: str, *headings: str) -> str:
    x = extract(question, text, *headings)
    return text[x.lead_start : x.lead_end]


@pytest.mark.parametrize(
    ("question", "answer", "heading"),
    [
        ("What does REPACK do?", "The REPACK command rebuilds the database file.", ""),
        ("What is REPACK?", "REPACK is a command for administrators.", ""),
        ("What does repack() do?", "Returns a smaller file.", "repack(full=False)"),
        ("Was macht REPACK?", "Der Befehl REPACK baut die Datei neu auf.", ""),
    ],
)
def test_what_says_what_something_does_leads(question: str, answer: str, heading: str) -> None:
    text = f"What REPACK does to a file may do harm; so REPACK may fail.\n\n{answer}\n\n{PLENTY}"
    assert lead(question, text, heading) == answer


def test_a_term_leads_with_the_sentence_under_it() -> None:
    text = f"repack(*tables)\nReturns a smaller file. {PLENTY} {PLENTY} Few need what repack does."
    assert lead("What does repack do?", text) == "repack(*tables)\nReturns a smaller file."


def test_what_stands_before_a_lead_in_leads_without_it() -> None:
    answer = "The REPACK command rebuilds the database file."
    items = "\n".join(f"{PLENTY} REPACK may do so." for _ in range(5))
    text = f"{answer} There are several reasons to do this:\n\n{items}"
    assert lead("What does REPACK do?", text) == answer


def test_a_lead_in_without_room_for_its_list_is_not_shown() -> None:
    answer = "The REPACK command rebuilds the database file."
    items = f"{PLENTY} {PLENTY} {PLENTY}\n{PLENTY} {PLENTY}"
    text = f"{answer} There are several reasons to do this:\n\n{items}"
    assert shown("What does REPACK do?", text) == answer


@pytest.mark.parametrize(
    "pointer",
    [
        "See DISK_README for an overview of disk limits.",
        "For details of the disk limit, see below.",
    ],
)
def test_a_sentence_that_points_elsewhere_does_not_lead(pointer: str) -> None:
    text = f"{pointer} No more than 100 files are opened at once by a disk."
    answer = lead("What is the limit of a disk?", text)
    assert answer == "No more than 100 files are opened at once by a disk."


def test_a_paragraph_that_only_points_elsewhere_does_not_lead() -> None:
    pointer = (
        "For more information about the limit of a disk, see the chapter on the limits of disks in "
        "the book for administrators, which has been written by many people."
    )
    text = f"{pointer}\n\nNo more than 100 files are opened at once by a disk."
    assert lead("What is the limit of a disk?", text).startswith("No more")


def test_a_note_with_something_to_say_leads() -> None:
    text = "Few know. Note: the limit of a disk is 100 files, of which ten are kept for the server."
    assert lead("What is the limit of a disk?", text).startswith("Note: the limit")


def test_the_title_of_what_follows_is_not_shown() -> None:
    text = f"The limit of a disk is 100 files.\n{PLENTY}\nTeaching and Training\n\n{PLENTY}"
    assert shown("What is the limit of a disk?", text).endswith(PLENTY)
    assert "Teaching" not in shown("What is the limit of a disk?", text)


def test_an_entry_does_not_run_into_the_next() -> None:
    text = f"disk_limit\nThe limit of a disk. {PLENTY}\n\nfile_limit\nThe number of open files."
    assert "file_limit" not in shown("What is disk_limit?", text)


def test_a_listing_under_a_reference_begins_something_else() -> None:
    text = (
        f"The limit of a disk is 100. {PLENTY}\n\nSee Disks for more.\n\nPRAGMA a;\nPRAGMA a = 1;"
    )
    assert "PRAGMA" not in shown("What is the limit of a disk?", text)


def test_one_of_the_following_leads_with_what_follows() -> None:
    text = "For the limit of a disk, use one of the following.\n\nA hundred files or ten of them."
    assert lead("What is the limit of a disk?", text) == text


MANUAL = """LIMITS
       disk_limit (100)
              The  number of files that may be open at once, which is counted
              for each of the disks. When it is reached, the server waits for
              a file to be closed.

       disk_wait (10s)
              How long the server waits.

SEE ALSO
       server(8), the server itself."""


def test_the_title_of_a_manual_page_parts_its_sections() -> None:
    text = shown("How many files may be open at once?", MANUAL)
    assert text.rstrip().endswith("closed.")
    assert "server(8)" not in text


def test_wrapped_lines_do_not_part_the_sentence_that_leads() -> None:
    filler = "\n".join(
        ["and nothing of this is about any such question as was put above by us"] * 8
    )
    text = (
        "The server has a limit of files which it keeps open, and that one is\n"
        f"a hundred. Other limits are found elsewhere, where they are described,\n{filler}."
    )
    answer = lead("What is the limit of files the server keeps open?", text)
    assert answer.startswith("The server has")
    assert "a hundred." in answer
