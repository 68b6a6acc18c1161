"""Answers: which sentences are given, how they are cited, and when there is no answer."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.answer.evidence import Answer, Evidence
from app.engine.answer.extractive import answer, markers, without_note_marks
from app.engine.retrieval.interface import Stats
from app.engine.retrieval.query import parse
from app.engine.text.analysis import Analyzer

ANALYZER = Analyzer()
STATS = Stats(1000, 60.0, {})

PORT = "The server is fast. The default port of the server is 5432. It is written in C."


def evidence(text: str, source: int = 0, score: float = 1.0, **facts: object) -> Evidence:
    base = Evidence(source, text, 0, len(text), score, language="en")
    return replace(base, **facts)  # type: ignore[arg-type]


def ask(question: str, *found: Evidence) -> Answer:
    return answer(parse(question, ANALYZER), found, STATS, ANALYZER)


def test_the_sentence_that_holds_the_answer_is_given() -> None:
    given = ask("What is the default port of the server?", evidence(PORT))
    assert given.text == "The default port of the server is 5432. [1]"


def test_citation_points_at_snapshot_and_answer() -> None:
    text = "Début. 😀 " + PORT
    given = ask("What is the default port of the server?", evidence(text))
    (citation,) = given.citations
    assert text[citation.start : citation.end] == citation.quote
    assert given.text[citation.answer_start : citation.answer_end] == given.sentences[0]
    assert text[: citation.start].endswith(citation.prefix)
    assert text[citation.end :].startswith(citation.suffix)
    assert citation.match == "exact"


def test_offsets_count_from_the_snapshot_not_from_the_passage() -> None:
    whole = "Front matter.\n\n" + PORT
    given = ask("default port of the server?", evidence(whole, start=15))
    assert whole[given.citations[0].start : given.citations[0].end] == given.sentences[0]


def test_question_nobody_answers_gets_an_honest_sentence_and_the_sources() -> None:
    given = ask("Who painted the Mona Lisa?", evidence(PORT, 3), evidence("Cats sleep.", 1, 0.2))
    assert (given.answered, given.citations, given.sources) == (False, (), (3, 1))
    assert given.text == "The sources that were read do not answer this question."


def test_refusal_speaks_the_language_of_the_question() -> None:
    assert ask("Wer hat die Mona Lisa gemalt?").text.startswith("Die gelesenen Quellen")


def test_without_evidence_there_is_no_answer() -> None:
    given = ask("What is it?")
    assert (given.answered, given.sources, given.confidence) == (False, (), 0.0)


def test_cited_sources_are_numbered_first_and_none_is_cut() -> None:
    other = "Cats sleep all day. Dogs do not."
    given = ask(
        "What is the default port of the server?",
        evidence(other, 7, 1.0),
        evidence(PORT, 4, 0.9),
        *(evidence(other, 10 + i, 0.1) for i in range(9)),
    )
    assert given.sources[0] == 4
    assert len(given.sources) == 11


def test_sentences_of_one_source_stand_in_reading_order() -> None:
    text = "Blue whales eat krill. Ships are big. Blue whales live in oceans."
    given = ask("What do blue whales eat, and where do blue whales live?", evidence(text))
    starts = [x.start for x in given.citations]
    assert len(starts) > 1
    assert starts == sorted(starts)


def test_repeated_sentence_of_another_source_is_given_once() -> None:
    copy = "Elsewhere we read much. The default port of the server is 5432."
    given = ask("What port is the default of our server?", evidence(PORT, 0), evidence(copy, 1))
    assert given.text.count("5432") == 1


@pytest.mark.parametrize("heading", ["## Default port", "Default port"])
def test_heading_is_never_the_answer(heading: str) -> None:
    text = f"{heading}\n\nThe value is 5432 unless changed."
    given = ask("What is the default port?", evidence(text, title="Default port"))
    assert given.sentences == ("The value is 5432 unless changed.",)


def test_heading_gives_its_words_to_the_sentence_under_it() -> None:
    text = "work_mem\n\nSets memory for sorts.\n\nmax_connections\n\nThe limit is 100 by itself."
    given = ask("What is the limit of max_connections?", evidence(text))
    assert "The limit is 100 by itself." in given.sentences


def test_lead_in_takes_the_code_under_it() -> None:
    text = "To dump a database into a file:\n\npg_dump mydb > db.sql\n\nThat is all of it."
    given = ask("How do I dump a database into a file?", evidence(text))
    assert given.sentences[0] == "To dump a database into a file:\n\npg_dump mydb > db.sql"


def test_question_of_the_source_is_never_the_answer() -> None:
    text = "What is the default port of the server? Ask the port registry of the server."
    given = ask("What is the default port of the server?", evidence(text))
    assert given.sentences == ("Ask the port registry of the server.",)


def test_quoted_question_does_not_make_a_source_relevant() -> None:
    text = "Try it:\n\nsearch -d 'Who painted the Mona Lisa?'\n\nIt takes a second."
    assert not ask("Who painted the Mona Lisa?", evidence(text)).answered


def test_header_alone_is_not_the_answer_but_comes_with_the_first_row() -> None:
    text = "default port | server\n5432 | the default port of postgres\n6379 | another server"
    given = ask("What is the default port of postgres?", evidence(text))
    assert given.citations[0].quote == (
        "default port | server\n5432 | the default port of postgres"
    )


def test_a_row_is_shown_as_column_and_value_beside_its_verbatim_quote() -> None:
    text = "default port | server\n5432 | the default port of postgres\n6379 | another server"
    given = ask("What is the default port of postgres?", evidence(text))
    (citation,) = given.citations
    assert given.text == "default port: 5432; server: the default port of postgres [1]"
    assert text[citation.start : citation.end] == citation.quote
    assert citation.match == "normalised"


def test_a_bare_signature_stands_behind_a_sentence_that_says_what_it_is() -> None:
    text = (
        "client.snapshot(search_id, n)\n\nOther calls follow.\n\n"
        "A snapshot is the stored text of a page.\n\nEnd."
    )
    given = ask("What is a snapshot?", evidence(text))
    assert given.sentences[0] == "A snapshot is the stored text of a page."


def test_a_second_statement_that_hardly_answers_is_left_out() -> None:
    one = "When a worker is killed, its lease runs out and another takes the job."
    other = "Kill it by hand, for instance while it cooks a meal for the worker of the month."
    given = ask("What happens when a worker is killed?", evidence(one), evidence(other, 1, 0.5))
    assert given.sentences == (one,)


def test_rows_and_items_stand_on_lines_of_their_own() -> None:
    text = "- Blue whales eat krill\n- Ships are big\n- Blue whales live in oceans"
    given = ask("What do blue whales eat, and where do blue whales live?", evidence(text))
    assert given.text == "- Blue whales eat krill [1]\n\n- Blue whales live in oceans [1]"


SIGNATURES = "os.cpu_count()\nReturn the number of CPUs in the system.\n\nos.nice(n)\nBe nice."


def test_description_takes_the_signature_above_it() -> None:
    given = ask("Which function returns the number of CPUs?", evidence(SIGNATURES))
    assert given.sentences[0] == "os.cpu_count()\nReturn the number of CPUs in the system."


def test_signature_is_found_where_the_passage_begins_below_it() -> None:
    start = SIGNATURES.index("Return")
    given = ask("Which function returns the number of CPUs?", evidence(SIGNATURES, start=start))
    assert given.sentences[0].startswith("os.cpu_count()\nReturn")


def test_later_sentence_of_an_entry_is_shown_with_the_name_of_the_entry() -> None:
    text = "max_links (integer)\nLimits links. The default is 100. More cost memory.\n\nEnd."
    given = ask("What is the default of max_links?", evidence(text))
    assert given.sentences == ("max_links (integer)\nLimits links. The default is 100.",)


def test_summary_line_of_a_manual_page_is_an_answer() -> None:
    text = "EXPLAIN — show the execution plan of a statement\n\nIt has options, which are many."
    given = ask("Which command shows the execution plan of a statement?", evidence(text))
    assert given.sentences[0] == "EXPLAIN — show the execution plan of a statement"


def test_lead_in_takes_its_list_from_behind_the_passage() -> None:
    text = "Copies differ in one thing:\n\nA shallow copy shares.\nA deep copy does not.\n\nMore."
    given = ask("In what one thing do copies differ?", evidence(text, end=text.index("\n")))
    assert given.sentences == (text.removesuffix("\n\nMore."),)


def test_lead_in_to_what_is_too_long_to_show_is_not_an_answer() -> None:
    text = f"These are the default ports:\n\n{'x ' * 500}.\n\nPorts are numbers by default."
    given = ask("What are the default ports?", evidence(text))
    assert given.sentences == ("Ports are numbers by default.",)


def test_next_lead_in_ends_the_code_of_the_one_before() -> None:
    text = "To read a file:\n\nopen(path).read()\n\nTo write a file:\n\nopen(path, 'w').write(x)"
    given = ask("How do I read a file?", evidence(text))
    assert given.sentences == ("To read a file:\n\nopen(path).read()",)


def test_code_that_does_not_fit_is_cut_behind_a_blank_line() -> None:
    blocks = [f"step_{n} = run({n}, '{'x' * 50}')" for n in range(20)]
    text = "To install the server:\n\n" + "\n\n".join(blocks)
    (sentence,) = ask("How do I install the server?", evidence(text)).sentences
    assert text[len(sentence) :].startswith("\n\nstep_")


def test_what_answers_surely_is_not_padded() -> None:
    text = "The default port of the server is 5432. A server may have a port."
    given = ask("What is the default port of the server?", evidence(text))
    assert given.sentences == ("The default port of the server is 5432.",)


def test_marker_under_a_listing_has_a_line_of_its_own() -> None:
    text = "To dump a database into a file:\n\npg_dump mydb > db.sql\n\nThat is all of it."
    assert ask("How do I dump a database into a file?", evidence(text)).text.endswith("sql\n[1]")


def test_numbered_step_takes_the_other_steps() -> None:
    text = "Install\n\n1. Unpack the archive.\n2. Run the install script.\n3. Start the server."
    given = ask("How do I run the install script?", evidence(text))
    assert given.sentences == (text.removeprefix("Install\n\n"),)


def test_list_item_answers_alone() -> None:
    text = "Options\n\n- --quiet: print nothing\n- --no-cache: do not use the build cache"
    given = ask("Which option makes the build not use the cache?", evidence(text))
    assert "- --no-cache: do not use the build cache" in given.sentences


def test_pronoun_takes_the_sentence_before_it() -> None:
    text = "Redis keeps data in memory. It listens on port 6379 by default."
    given = ask("What port does Redis listen on by default?", evidence(text))
    assert given.sentences == (text,)


def test_pronoun_does_not_reach_into_another_paragraph() -> None:
    text = "Apples are red.\n\nIt listens on port 6379 by default."
    given = ask("What port does it listen on by default?", evidence(text))
    assert given.sentences == ("It listens on port 6379 by default.",)


def test_note_mark_of_the_page_leaves_the_answer_but_not_the_quote() -> None:
    text = "The default port of the server is 5432.[12]"
    (citation,) = ask("What is the default port of the server?", evidence(text)).citations
    assert (citation.quote, citation.match) == (text, "normalised")


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("In 1998.[3]", "In 1998."),
        ("In 1998 [3][4] it was.", "In 1998 it was."),
        ("x = argv[1];", "x = argv[ 1 ];"),
        ("The first is argv[0].", "The first is argv[ 0 ]."),
        ("See [the note].", "See [the note]."),
    ],
)
def test_nothing_in_a_sentence_reads_as_our_marker(sentence: str, shown: str) -> None:
    assert without_note_marks(sentence) == shown


WORDS = [
    "server",
    "port",
    "東京都",
    "ポート。",
    "بورت؟",
    "हिन्दी।",
    "😀",
    "e\u0301",
    "[3]",
    "5432.",
    "It",
    ":",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "x[0]",
]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=4))
def test_citations_are_exact_in_every_script(texts: list[str]) -> None:
    found = [evidence(text, i, 1 / (i + 1), language=None) for i, text in enumerate(texts)]
    given = ask("server port 東京都 5432", *found)
    for n in markers(given.text):
        assert 1 <= n <= len(given.sources)
    assert sorted(given.sources) == list(range(len(texts)))
    assert list(markers(given.text)) == [x.n for x in given.citations]
    for citation, sentence in zip(given.citations, given.sentences, strict=True):
        assert given.sources[citation.n - 1] == citation.source
        assert citation.quote == texts[citation.source][citation.start : citation.end]
        assert given.text[citation.answer_start : citation.answer_end] == sentence
        assert re.match(rf"\s\[{citation.n}\]", given.text[citation.answer_end :])
        assert (citation.match == "exact") == (sentence == citation.quote)


def test_a_sentence_without_a_word_of_the_question_does_not_pad_an_answer() -> None:
    text = "A clutch holds four to seven eggs. Both parents feed the young."
    given = ask("How many eggs does a barn owl lay in a clutch?", evidence(text, title="Barn owls"))
    assert given.sentences == ("A clutch holds four to seven eggs.",)


def test_what_only_has_words_of_the_question_is_no_answer() -> None:
    given = ask(
        "What is the difference between DELETE and TRUNCATE?",
        evidence("TRUNCATE fires no ON DELETE trigger of a table.", 0),
        evidence("See also\n\nTRUNCATE", 1, 0.9),
    )
    assert given.text == "TRUNCATE fires no ON DELETE trigger of a table. [1]"


def test_a_numbered_heading_is_no_answer() -> None:
    text = "3.8. Essential packages, in short\n\nAn essential package works unconfigured."
    given = ask("What is an essential package?", evidence(text, headings=(text.split("\n")[0],)))
    assert given.text == "An essential package works unconfigured. [1]"
