"""The final order: fusion, sentence bonus, phrases, duplicates."""

import pytest

from app.engine.search.interface import IndexedPassage, IndexStats
from app.engine.search.overlap import Overlap, Relevance
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, RankedPassage, collapse, rescore

STATS = IndexStats(100, 20.0, {})


Found = IndexedPassage | str
Candidate = tuple[Found, float] | tuple[Found, float, float]


def order(query: str, *found: Candidate, most: int | None = None) -> list[RankedPassage]:
    """Passages 1, 2 ... of sources of their own, each by its text, its BM25 and its cosine."""
    candidates = []
    for number, (text, *scores) in enumerate(found, start=1):
        if isinstance(text, str):
            text = IndexedPassage(number, str(number), text, language="en")
        candidates.append(PassageCandidate(text, *scores))
    return rescore(parse(query), candidates, STATS, *([most] if most else []))


def ids(ranked: list[RankedPassage]) -> list[int]:
    return [x.passage.id for x in ranked]


def test_equal_bm25_is_settled_by_one_sentence_holding_both_terms() -> None:
    apart = "The cache is cold. A disk is slow."
    together = "The cache sits before the disk. It is cold."
    assert ids(order("cache disk", (apart, 2.0), (together, 2.0))) == [2, 1]


def test_without_cosines_the_bonus_weighs_three_tenths() -> None:
    [ranked] = order("disk cache", ("Disk cache.", 2.0))
    assert ranked.score == pytest.approx(1 + 0.3 * 2 + 0.1 * 2 / 120)


def test_a_cosine_weighs_four_times_as_much_as_words() -> None:
    ranked = order("disk", ("nothing", 4.0, 0.1), ("nothing", 2.0, 0.9))
    said = 0.1 * 1 / 120
    assert [x.score for x in ranked] == [pytest.approx(0.83 + said), pytest.approx(0.17 + said)]


def test_what_says_more_goes_before_a_line_up_to_120_words() -> None:
    ranked = order("disk", ("nothing", 1.0), ("one word " * 120, 1.0), ("one word " * 60, 1.0))
    assert ids(ranked) == [2, 3, 1]


def test_a_missing_cosine_is_as_high_as_its_words_are_among_those_of_the_others() -> None:
    """Half of the cosines of the others lie below, as half of their words do."""
    ranked = order("x", ("a", 5.0, 0.9), ("b", 4.0), ("c", 3.0, 0.8), ("d", 2.0), ("e", 1.0, 0.1))
    assert ids(ranked) == [1, 2, 3, 4, 5]


def test_passage_without_the_quoted_phrase_is_left_out() -> None:
    assert ids(order('"disk cache"', ("cache of the disk", 9.0), ("a Disk\ncache", 1.0))) == [2]


def test_passage_with_an_excluded_phrase_is_left_out() -> None:
    ranked = order('cache -"disk cache"', ("a Disk\ncache", 9.0), ("cache of the disk", 1.0))
    assert ids(ranked) == [2]


def test_definition_comes_before_a_mention() -> None:
    mention = "Every cache mentions a cache, and this cache too."
    entry = "cache\nA store of what was asked before."
    assert ids(order("What is a cache?", (mention, 2.0), (entry, 1.8), ("A disk.", 0.0)))[0] == 2


def test_table_of_contents_stands_behind_text() -> None:
    contents = "\n".join(f"{n} The disk cache" for n in range(9))
    assert ids(order("disk cache", (contents, 2.0), ("The disk cache is large.", 2.0))) == [2, 1]


@pytest.mark.parametrize(("query", "first"), [("disk cache", 2), ("what is new: disk cache", 1)])
def test_news_stand_behind_reference_unless_asked_for(query: str, first: int) -> None:
    news = IndexedPassage(1, "a", "The new disk cache.", title="What’s New In 3.7", language="en")
    assert ids(order(query, (news, 2.0), ("The disk cache.", 2.0)))[0] == first


def test_what_quotes_the_question_stands_behind_what_answers() -> None:
    example = 'Run: ask "How large is the disk cache?" and wait.'
    ranked = order(
        "How large is the disk cache?", (example, 2.0), ("The disk cache is large.", 2.0)
    )
    assert ids(ranked) == [2, 1]


def test_no_candidates_rank_to_nothing() -> None:
    assert order("disk") == []


def test_near_identical_text_of_another_source_is_folded_away() -> None:
    text = "The server listens on port 5432 unless told otherwise by the administrator."
    assert ids(collapse(order("port", (text, 2.0), (f"{text}!", 1.0)))) == [1]


def test_a_source_keeps_all_its_passages() -> None:
    texts = [IndexedPassage(n, "s", f"text {n} {n * 7}", language="en") for n in range(4)]
    assert ids(collapse(order("x", *((text, 9.0 - text.id) for text in texts)))) == [0, 1, 2, 3]


def test_rare_terms_weigh_more_in_coverage() -> None:
    stats = IndexStats(100, 20.0, {"common": 90, "rare": 1})
    overlap = Overlap(parse("common rare"), stats)
    assert overlap.coverage(["rare"]) > 0.9


def test_word_with_the_same_root_earns_a_part_of_its_weight() -> None:
    overlap = Overlap(parse("defensive"), IndexStats(100, 20.0, {}))
    assert overlap.coverage(["defensively"]) == pytest.approx(0.6)


def test_coverage_of_a_query_without_terms_is_zero() -> None:
    assert Overlap(parse("?"), STATS).coverage(["x"]) == 0.0


def test_bigram_is_the_share_of_neighbouring_pairs() -> None:
    overlap = Overlap(parse("red green blue"), STATS)
    assert overlap.bigram(["green", "blue", "red"]) == 0.5


@pytest.mark.parametrize("feature", ["coverage", "best_sentence", "bigram"])
def test_relevance_rises_with_every_feature(feature: str) -> None:
    base = {"coverage": 0.5, "best_sentence": 0.5, "bigram": 0.5}
    higher = Relevance(**(base | {feature: 0.6}))
    assert higher.probability > Relevance(**base).probability


def test_only_the_best_by_words_and_meaning_are_looked_at_closely() -> None:
    found = ("Disk cache.", 3.0, 0.1), ("Another text.", 1.0, 0.9), ("The disk.", 2.0, 0.1)
    assert sorted(ids(order("disk cache", *found, most=2))) == [1, 2]


def test_an_identifier_of_the_question_must_be_the_identifier_of_the_passage() -> None:
    ranked = order(
        "What is the default of smtpd_recipient_limit?",
        ("The default of smtp_recipient_limit is 50 recipients, a limit by default.", 4.0, 0.9),
        ("smtpd_recipient_limit: 1000.", 2.0, 0.6),
        ("nothing", 0.1, 0.1),
    )
    assert ids(ranked)[0] == 2
