"""Leads: which sentence of an extract answers, and how far it goes on."""

import pytest

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.leads import Leads
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse

LONG = "The server keeps its data in files that nobody else writes to, one for each table of it."
PLENTY = (
    "It writes all that is kept in the old file into a new one, leaves out what was deleted, "
    "and puts the new file in the place of the old one when all of it has been written to the disk."
)


def lead(question: str, text: str, *headings: str) -> str | None:
    query = parse(question)
    read = Evidence(0, text, 0, len(text), 1.0, headings=headings, language="en")
    leads = Leads(query, Overlap(query, IndexStats(1000, 60.0, {})))
    found = leads.best(read, 0, len(text))
    return found and text[slice(*found)]


def test_the_sentence_that_holds_most_of_the_question_leads() -> None:
    text = "The server is fast. The default port of the server is 5432. Few change it."
    question = "What is the default port of the server?"
    assert lead(question, text) == "The default port of the server is 5432."


def test_one_that_holds_little_of_the_question_goes_on_in_its_paragraph() -> None:
    text = f"A port is a number. It is 5432.\n\n{LONG}"
    question = "What is the default port of the server?"
    assert lead(question, text) == "A port is a number. It is 5432."


def test_of_two_that_hold_as_much_the_whole_sentence_leads() -> None:
    text = "An order for records has a budget.\n\nPOST /v1/records"
    assert lead("What about records?", text) == "An order for records has a budget."


def test_a_heading_does_not_lead() -> None:
    text = "The default port\n\nIt is 5432 for all of them."
    assert lead("What is the default port?", text, "The default port") == text[18:]


def test_a_lead_in_leads_with_its_list() -> None:
    text = "Copies differ in one thing:\n\n- a shallow copy shares\n- a deep copy does not"
    assert lead("In what one thing do copies differ?", text) == text


def test_a_lead_in_leads_with_its_listing() -> None:
    text = f"{LONG}\n\nA dump is written like this:\n\npg_dump mydb > db.sql\n\n{LONG}"
    given = lead("How is a dump written?", text)
    assert given == "A dump is written like this:\n\npg_dump mydb > db.sql"


def test_one_of_the_following_leads_with_what_follows() -> None:
    text = "For the limit of a disk, use one of the following.\n\nA hundred files or ten of them."
    assert lead("What is the limit of a disk?", text) == text


def test_a_lead_in_to_what_is_too_long_does_not_lead() -> None:
    items = f"{PLENTY} {PLENTY} {PLENTY}".replace(". ", ", ")
    answer = "The REPACK command rebuilds the database file."
    text = f"{answer} There are several reasons why REPACK does this:\n\n{items}"
    assert lead("What does REPACK do?", text) == answer


def test_entries_of_one_run_are_parted() -> None:
    text = "-a\nShows all of the files.\n-b\nShows the biggest of the files."
    given = lead("Which option shows the biggest files?", text)
    assert given == "-b\nShows the biggest of the files."


def test_a_term_leads_with_the_sentence_under_it() -> None:
    text = f"repack(*tables)\nReturns a smaller file. {PLENTY} {PLENTY} Few need what repack does."
    assert lead("What does repack do?", text) == "repack(*tables)\nReturns a smaller file."


def test_a_question_of_the_page_counts_for_its_answer_and_does_not_lead() -> None:
    text = f"How do I change the port?\n\nEdit the file and restart it.\n\n{LONG}"
    assert lead("How do I change the port?", text) == "Edit the file and restart it."


def test_a_fragment_does_not_lead() -> None:
    text = "Port\n\nThe value is 5432 unless somebody has changed it."
    assert lead("What is the default port?", text) == text.removeprefix("Port\n\n")


def test_a_note_with_something_to_say_leads() -> None:
    text = "Few know. Note: the limit of a disk is 100 files, of which ten are kept for the server."
    given = lead("What is the limit of a disk?", text)
    assert given == text.removeprefix("Few know. ")


def test_a_row_leads_as_a_whole() -> None:
    rows = [f"/v1/{name} | Read what the {name} keeps. | nothing" for name in ("x", "y", "z") * 4]
    text = "\n".join(["route | what it does | takes", *rows, "/v1/tokens | Sign in. | a password"])
    assert lead("How do I sign in with a password?", text) == "/v1/tokens | Sign in. | a password"


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


def test_wrapped_lines_do_not_part_the_sentence_that_leads() -> None:
    filler = "\n".join(
        ["and nothing of this is about any such question as was put above by us"] * 8
    )
    text = (
        "The server has a limit of files which it keeps open, and that one is\n"
        f"a hundred. Other limits are found elsewhere, where they are described,\n{filler}."
    )
    given = lead("What is the limit of files the server keeps open?", text) or ""
    assert given.startswith("The server has")
    assert given.endswith("a hundred.")


def test_nothing_but_the_question_leaves_no_lead() -> None:
    assert lead("port", "port " * 20) is None
