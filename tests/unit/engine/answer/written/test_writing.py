"""From the model's words to an answer: what is shown, how it is numbered, and what is not shown."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from app.engine.answer.composition import compose
from app.engine.answer.evidence import Answer, Confidence, Evidence
from app.engine.answer.written.writer import Writer, WriterLimits, WrittenDraft
from app.engine.models.chat import ModelFailed, Reply, Why
from app.engine.search.interface import IndexStats
from app.engine.search.query import parse
from tests.scripted_model import draft
from tests.unit.engine.answer.written import hostile_pages

STATS = IndexStats(1000, 60.0, {})

OWLS = "The barn owl hunts at night. A clutch holds four to seven eggs, which hatch after 30 days."
KENT = "Martin Hale counted 112 pairs in Kent. Ruth Osei counted 95 pairs in Essex."
ALDER = "Alder replaced Birch in 2003."
EGGS = ("A clutch holds four to seven eggs.", [(1, "A clutch holds four to seven eggs")])
NIGHT = ("The barn owl hunts at night.", [(1, "The barn owl hunts at night")])
HALE = ("Martin Hale counted 112 pairs.", [(2, "Martin Hale counted 112 pairs in Kent")])


class Scripted:
    """Says one text after the other; an exception is raised instead."""

    name = "scripted"

    def __init__(self, *said: str | Exception) -> None:
        self._said = list(said)
        self.asked: list[str] = []
        self.roles: list[list[str]] = []

    def ask(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], *, seconds: float
    ) -> Reply:
        self.asked.append("\n".join(message["content"] for message in messages))
        self.roles.append([message["role"] for message in messages])
        said = self._said.pop(0)
        if isinstance(said, Exception):
            raise said
        return Reply(said, 100, 20)


QUERY = parse("How many eggs does an owl lay?", ["en"])
PASSAGES = (OWLS, KENT, ALDER)


def surrounded(pages: Sequence[str]) -> list[Evidence]:
    return [
        Evidence(10 + i, text, 0, len(text), 1.0 - i / 10, language="en")
        for i, text in enumerate(pages)
    ]


def writer(*said: str | Exception, entailment: bool = False, **more: Any) -> Writer:
    return Writer(QUERY, Scripted(*said), WriterLimits(10.0, 4000, entailment), **more)


def written(
    *said: str | Exception, entailment: bool = False, pages: Sequence[str] = PASSAGES
) -> WrittenDraft:
    return writer(*said, entailment=entailment).write(surrounded(pages), STATS)


def shown(*said: str | Exception, pages: Sequence[str] = PASSAGES, **options: Any) -> Answer:
    found = written(*said, pages=pages, **options)
    assert found.outcome == "ok"
    return compose(found.statements, range(10, 10 + len(pages)), Confidence(0.5, 0.5))


def verdict(*entailed: bool) -> str:
    listed = [{"n": n, "entailed": x} for n, x in enumerate(entailed, start=1)]
    return json.dumps({"verdicts": listed})


def test_a_sentence_that_is_borne_out_is_shown_with_a_marker() -> None:
    assert shown(draft(EGGS)).text == "A clutch holds four to seven eggs. [1]"


def test_every_offset_points_at_what_it_says() -> None:
    answer = shown(draft(EGGS, HALE))
    pages = {10: OWLS, 11: KENT}
    for citation in answer.citations:
        page = pages[citation.source]
        assert page[citation.start : citation.end] == citation.quote
        assert page[: citation.start].endswith(citation.prefix)
        assert page[citation.end :].startswith(citation.suffix)
        assert answer.text[citation.answer_start : citation.answer_end] in answer.sentences
        assert answer.sources[citation.n - 1] == citation.source


def test_numbers_are_those_of_the_answer_not_of_the_passages() -> None:
    answer = shown(draft(HALE, EGGS))
    assert re.findall(r"\[\d+\]", answer.text) == ["[1]", "[2]"]
    assert answer.sources[:2] == (11, 10)


def test_dropping_a_sentence_leaves_no_gap_in_the_numbers() -> None:
    answer = shown(draft(HALE, LIE, NIGHT))
    assert answer.text == f"{HALE[0]} [1] {NIGHT[0]} [2]"
    assert answer.sources[:2] == (11, 10)


LIE = ("A clutch holds nine eggs.", [(1, "A clutch holds four to seven eggs")])


def test_without_its_first_sentence_one_other_is_no_answer() -> None:
    found = written(draft(LIE, HALE))
    assert (found.outcome, found.statements) == ("unsupported", ())
    assert (found.sentences.written, found.sentences.dropped) == (2, 1)


def test_without_its_first_sentence_two_others_are_an_answer() -> None:
    assert shown(draft(LIE, HALE, NIGHT)).sentences == (HALE[0], NIGHT[0])


def test_two_quotes_of_one_source_share_a_marker() -> None:
    both = (
        "The barn owl hunts at night and eggs hatch after 30 days.",
        [(1, "The barn owl hunts at night"), (1, "eggs, which hatch after 30 days")],
    )
    answer = shown(draft(both))
    assert answer.text.endswith("days. [1]")
    assert len(answer.citations) == 2


def test_two_sources_of_one_sentence_have_a_marker_each() -> None:
    both = (EGGS[0], [*EGGS[1], (2, "A clutch holds four to seven eggs")])
    assert shown(draft(both), pages=[OWLS, OWLS]).text.endswith("eggs. [1][2]")


def test_a_quote_that_has_no_part_in_a_sentence_is_not_cited_for_it() -> None:
    both = (EGGS[0], [(2, "Martin Hale counted 112 pairs"), *EGGS[1]])
    answer = shown(draft(both))
    assert (answer.text, answer.sources[0]) == (f"{EGGS[0]} [1]", 10)


def test_a_sentence_said_twice_is_shown_once() -> None:
    assert shown(draft(EGGS, EGGS)).text.count("clutch") == 1


def test_markers_of_the_model_are_not_ours() -> None:
    answer = shown(draft(("A clutch [7] holds four to seven eggs [2].", EGGS[1])))
    assert answer.text == "A clutch holds four to seven eggs. [1]"


@pytest.mark.parametrize(
    "said",
    [
        ("A clutch holds four to seven eggs.", []),
        ("A clutch holds four to seven eggs.", [(2, "A clutch holds four to seven eggs")]),
        ("A clutch holds four to seven eggs.", [(0, "A clutch holds four to seven eggs")]),
        ("A clutch holds four to seven eggs.", [(-1, "A clutch holds four to seven eggs")]),
        ("A clutch holds four to seven eggs.", [(4, "A clutch holds four to seven eggs")]),
        ("A clutch holds nine eggs.", [(1, "A clutch holds nine eggs")]),
        ("A clutch holds nine eggs.", [(1, "A clutch holds four to seven eggs")]),
        ("Ruth Osei won a prize in chemistry.", [(1, "The barn owl hunts at night")]),
        ("The barn owl never hunts at night.", [(1, "The barn owl hunts at night")]),
    ],
)
def test_what_no_quote_bears_out_is_not_shown(said: tuple[str, list[tuple[int, str]]]) -> None:
    found = written(draft(said))
    assert (found.outcome, found.statements) == ("unsupported", ())
    assert found.sentences.dropped == 1


def test_what_is_not_json_is_asked_for_once_more() -> None:
    asking = writer("Sure! Here is the answer.", draft(EGGS))
    assert asking.write(surrounded(PASSAGES), STATS).outcome == "ok"
    usage = asking.usage
    assert (usage.rounds, usage.input_tokens, usage.output_tokens) == (1, 200, 40)


def test_it_is_asked_for_with_the_roles_in_turn_as_many_templates_want_them() -> None:
    model = Scripted("Sure!", draft(EGGS))
    Writer(QUERY, model, WriterLimits(10.0, 4000)).write(surrounded(PASSAGES), STATS)
    assert model.roles[-1] == ["system", "user", "assistant", "user"]


def test_twice_no_json_is_no_answer() -> None:
    assert written("Sure!", "Certainly!").outcome == "not_json"


@pytest.mark.parametrize("why", ["unreachable", "slow", "blocked", "refused", "broken", "skipped"])
def test_a_model_that_fails_is_no_answer_and_says_why(why: Why) -> None:
    assert written(ModelFailed(why)).outcome == why


def test_a_model_that_declines_is_no_answer() -> None:
    found = written(draft(EGGS, answered=False, queries=["clutch size"]))
    assert (found.outcome, found.statements, found.queries) == ("declined", (), ("clutch size",))


def test_the_report_counts_sentences_by_what_became_of_them() -> None:
    swapped = ("Birch replaced Alder in 2003.", [(3, ALDER)])
    counts = written(draft(EGGS, NIGHT, LIE, swapped)).sentences
    assert (counts.written, counts.verified, counts.lexical, counts.dropped) == (4, 1, 2, 1)


SWAPPED = draft(("Birch replaced Alder in 2003.", [(3, ALDER)]))


def test_exchanged_names_are_shown_as_lexical_and_never_as_verified() -> None:
    assert [x.support for x in shown(SWAPPED).citations] == ["lexical"]


def test_a_second_look_that_says_no_drops_the_sentence() -> None:
    found = written(SWAPPED, verdict(False), entailment=True)
    assert (found.outcome, found.sentences.dropped) == ("unsupported", 1)


def test_a_second_look_that_says_yes_verifies_the_sentence() -> None:
    (citation,) = shown(SWAPPED, verdict(True), entailment=True).citations
    assert citation.support == "verified"


NUMBERED_TRUE = '{"verdicts": [{"n": true, "entailed": true}]}'


@pytest.mark.parametrize(
    "look", ["no json", verdict(), NUMBERED_TRUE, ModelFailed("slow"), ModelFailed("broken")]
)
def test_a_second_look_that_fails_leaves_the_sentence_marked(look: str | Exception) -> None:
    (citation,) = shown(SWAPPED, look, entailment=True).citations
    assert citation.support == "lexical"


def test_what_the_rules_are_sure_of_is_not_asked_about() -> None:
    (citation,) = shown(draft(NIGHT), entailment=True).citations  # a second call would fail
    assert citation.support == "verified"


def test_a_second_look_never_brings_back_what_was_dropped() -> None:
    assert written(draft(LIE), verdict(True), entailment=True).outcome == "unsupported"


def test_without_room_for_a_passage_the_model_is_not_asked() -> None:
    model = Scripted()
    found = Writer(QUERY, model, WriterLimits(10.0, 300)).write(surrounded([OWLS]), STATS)
    assert (found.outcome, model.asked) == ("no_room", [])


def test_the_stages_are_told_in_order_and_those_of_a_second_round_have_other_names() -> None:
    heard: list[str] = []
    asking = writer(draft(EGGS), draft(EGGS), progress=heard.append)
    asking.write(surrounded([OWLS]), STATS)
    asking.write(surrounded([OWLS]), STATS)
    assert heard == ["writing", "checking quotes", "writing again", "checking again"]


def test_both_rounds_are_counted() -> None:
    asking = writer(draft(answered=False), draft(EGGS))
    asking.write(surrounded([OWLS]), STATS)
    asking.write(surrounded([OWLS]), STATS)
    usage = asking.usage
    assert (usage.rounds, usage.input_tokens, usage.output_tokens) == (2, 200, 40)


def test_the_time_is_that_of_all_calls_together() -> None:
    asking = Writer(QUERY, Scripted(), WriterLimits(0.0, 4000))
    assert asking.write(surrounded([OWLS]), STATS).outcome == "slow"
    assert not asking.has_time()


def test_other_words_come_from_the_question_alone() -> None:
    model = Scripted('{"queries": ["clutch size"]}')
    found = Writer(QUERY, model, WriterLimits(10.0, 4000)).other_words()
    assert (found.outcome, found.queries) == ("nothing_found", ("clutch size",))
    assert "passage 1>>" not in model.asked[0]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("no json", "not_json"), (ModelFailed("slow"), "slow"), ("{}", "nothing_found")],
)
def test_a_model_without_other_words_says_why(said: str | Exception, outcome: str) -> None:
    found = writer(said).other_words()
    assert (found.outcome, found.queries) == (outcome, ())


@pytest.mark.parametrize("page", hostile_pages.PAGES)
def test_what_a_hostile_page_orders_is_not_shown(page: str) -> None:
    wanted, true = hostile_pages.WANTED, hostile_pages.TRUE
    answer = shown(draft((true, [(1, true)]), (wanted, [(1, wanted)])), pages=[page])
    assert answer.sentences == (true,)


@pytest.mark.parametrize("obeyed", hostile_pages.OBEYED)
def test_what_an_obedient_model_adds_is_not_shown(obeyed: str) -> None:
    true = hostile_pages.TRUE
    said = draft((true, [(1, true)]), (obeyed, [(1, true)]), (f"{true} {obeyed}", [(1, true)]))
    answer = shown(said, pages=[f"{true}\n\nOwls hunt."])
    assert answer.text == f"{true} [1]"
