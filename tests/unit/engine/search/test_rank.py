"""The final order: fusion, sentence bonus, phrases, duplicates."""

import pytest

from app.engine.search.interface import IndexedPassage, IndexStats
from app.engine.search.overlap import Overlap, Relevance
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, RankedPassage, collapse, rescore

STATS = IndexStats(100, 20.0, {})


def passage(number: int, text: str, source: str = "s") -> IndexedPassage:
    return IndexedPassage(number, source, text, language="en")


def order(query: str, *candidates: PassageCandidate) -> list[RankedPassage]:
    return rescore(parse(query), candidates, STATS)


def test_equal_bm25_is_settled_by_one_sentence_holding_both_terms() -> None:
    apart = passage(1, "The cache is cold. A disk is slow.")
    together = passage(2, "The cache sits before the disk. It is cold.")
    ranked = order("cache disk", PassageCandidate(apart, 2.0), PassageCandidate(together, 2.0))
    assert [x.passage.id for x in ranked] == [2, 1]


def test_without_cosines_the_bonus_weighs_three_tenths() -> None:
    ranked = order("disk cache", PassageCandidate(passage(1, "Disk cache."), 2.0))
    assert ranked[0].score == pytest.approx(1 + 0.3 * 2 + 0.1 * 2 / 120)


def test_a_cosine_weighs_four_times_as_much_as_words() -> None:
    first, second = passage(1, "nothing"), passage(2, "nothing")
    ranked = order("disk", PassageCandidate(first, 4.0, 0.1), PassageCandidate(second, 2.0, 0.9))
    said = 0.1 * 1 / 120
    assert [x.score for x in ranked] == [pytest.approx(0.83 + said), pytest.approx(0.17 + said)]


def test_what_says_more_goes_before_a_line_up_to_120_words() -> None:
    long, longer = (passage(n, "one word " * (60 * n)) for n in (1, 2))
    ranked = order(
        "disk", *(PassageCandidate(x, 1.0) for x in (passage(3, "nothing"), longer, long))
    )
    assert [x.passage.id for x in ranked] == [1, 2, 3]


def test_cosine_decides_between_equal_bm25() -> None:
    ranked = order(
        "x",
        PassageCandidate(passage(1, "a"), 1.0, 0.2),
        PassageCandidate(passage(2, "b"), 1.0, 0.3),
    )
    assert [x.passage.id for x in ranked] == [2, 1]


def test_missing_cosine_speaks_neither_for_nor_against() -> None:
    ranked = order(
        "x",
        PassageCandidate(passage(1, "a"), 1.0),
        PassageCandidate(passage(2, "b"), 1.0, 0.3),
        PassageCandidate(passage(3, "c"), 1.0, 0.2),
    )
    assert [x.passage.id for x in ranked] == [2, 1, 3]


def test_a_missing_cosine_is_as_high_as_its_words_are_among_those_of_the_others() -> None:
    """Half of the cosines of the others lie below, as half of their words do."""
    ranked = order(
        "x",
        PassageCandidate(passage(1, "a"), 5.0, 0.9),
        PassageCandidate(passage(2, "b"), 4.0),
        PassageCandidate(passage(3, "c"), 3.0, 0.8),
        PassageCandidate(passage(4, "d"), 2.0),
        PassageCandidate(passage(5, "e"), 1.0, 0.1),
    )
    assert [x.passage.id for x in ranked] == [1, 2, 3, 4, 5]


def test_passage_without_the_quoted_phrase_is_left_out() -> None:
    ranked = order(
        '"disk cache"',
        PassageCandidate(passage(1, "cache of the disk"), 9.0),
        PassageCandidate(passage(2, "a Disk\ncache"), 1.0),
    )
    assert [x.passage.id for x in ranked] == [2]


def test_passage_with_an_excluded_phrase_is_left_out() -> None:
    ranked = order(
        'cache -"disk cache"',
        PassageCandidate(passage(1, "a Disk\ncache"), 9.0),
        PassageCandidate(passage(2, "cache of the disk"), 1.0),
    )
    assert [x.passage.id for x in ranked] == [2]


def test_definition_comes_before_a_mention() -> None:
    mention = passage(1, "Every cache mentions a cache, and this cache too.")
    entry = passage(2, "cache\nA store of what was asked before.")
    rest = PassageCandidate(passage(3, "A disk."), 0.0)
    ranked = order(
        "What is a cache?", PassageCandidate(mention, 2.0), PassageCandidate(entry, 1.8), rest
    )
    assert ranked[0].passage.id == 2


def test_table_of_contents_stands_behind_text() -> None:
    contents = passage(1, "\n".join(f"{n} The disk cache" for n in range(9)))
    text = passage(2, "The disk cache is large.")
    ranked = order("disk cache", PassageCandidate(contents, 2.0), PassageCandidate(text, 2.0))
    assert [x.passage.id for x in ranked] == [2, 1]


@pytest.mark.parametrize(("query", "first"), [("disk cache", 2), ("what is new: disk cache", 1)])
def test_news_stand_behind_reference_unless_asked_for(query: str, first: int) -> None:
    news = IndexedPassage(1, "a", "The new disk cache.", title="What’s New In 3.7", language="en")
    reference = passage(2, "The disk cache.", "b")
    ranked = order(query, PassageCandidate(news, 2.0), PassageCandidate(reference, 2.0))
    assert ranked[0].passage.id == first


def test_what_quotes_the_question_stands_behind_what_answers() -> None:
    example = passage(1, 'Run: ask "How large is the disk cache?" and wait.', "a")
    text = passage(2, "The disk cache is large.", "b")
    ranked = order(
        "How large is the disk cache?", PassageCandidate(example, 2.0), PassageCandidate(text, 2.0)
    )
    assert [x.passage.id for x in ranked] == [2, 1]


def test_no_candidates_rank_to_nothing() -> None:
    assert order("disk") == []


def test_near_identical_text_of_another_source_is_folded_away() -> None:
    text = "The server listens on port 5432 unless told otherwise by the administrator."
    ranked = order(
        "port",
        PassageCandidate(passage(1, text, "a"), 2.0),
        PassageCandidate(passage(2, text + "!", "b"), 1.0),
    )
    assert [x.passage.id for x in collapse(ranked)] == [1]


def test_a_source_keeps_all_its_passages() -> None:
    ranked = order(
        "x", *(PassageCandidate(passage(i, f"text {i} {i * 7}"), 9.0 - i) for i in range(4))
    )
    assert [x.passage.id for x in collapse(ranked)] == [0, 1, 2, 3]


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
    ranked = rescore(
        parse("disk cache"),
        [
            PassageCandidate(passage(1, "Disk cache."), 3.0, 0.1),
            PassageCandidate(passage(2, "Another text."), 1.0, 0.9),
            PassageCandidate(passage(3, "The disk."), 2.0, 0.1),
        ],
        STATS,
        2,
    )
    assert sorted(x.passage.id for x in ranked) == [1, 2]


def test_an_identifier_of_the_question_must_be_the_identifier_of_the_passage() -> None:
    other = passage(1, "The default of smtp_recipient_limit is 50 recipients, a limit by default.")
    named = passage(2, "smtpd_recipient_limit: 1000.")
    ranked = order(
        "What is the default of smtpd_recipient_limit?",
        PassageCandidate(other, 4.0, 0.9),
        PassageCandidate(named, 2.0, 0.6),
        PassageCandidate(passage(3, "nothing"), 0.1, 0.1),
    )
    assert ranked[0].passage.id == 2
