"""What a model is given beyond the passages found: pooled searches."""

from dataclasses import replace

from app.domains.library.passages.store import Snapshot
from tests.unit.workers.searches import made
from workers.searches.candidates import Candidates
from workers.searches.further_context import pooled

FIRST, SECOND, THIRD = (made.snapshot(f"https://{n}.example.org/", text=n) for n in "abc")


def found(*snapshots: Snapshot, ids: tuple[int, ...]) -> Candidates:
    """Candidates with a passage each, in this order."""
    every = [made.candidates(snapshot) for snapshot in snapshots]
    ranked = [
        replace(x.ranked[0], passage=replace(x.ranked[0].passage, id=id), score=1.0 - n / 10)
        for n, (x, id) in enumerate(zip(every, ids, strict=True))
    ]
    located = {id: made.located(x, id) for x, id in zip(snapshots, ids, strict=True)}
    return replace(every[0], ranked=ranked, located=located, snapshots={x.id: x for x in snapshots})


def ids(candidates: Candidates) -> list[int]:
    return [x.passage.id for x in candidates.ranked]


def test_what_several_searches_found_comes_before_what_one_did() -> None:
    one, other = found(FIRST, SECOND, ids=(1, 2)), found(THIRD, SECOND, ids=(3, 2))
    assert ids(pooled([one, other], 10)) == [1, 2, 3]
    assert ids(pooled([one, other, found(SECOND, ids=(2,))], 10)) == [2, 1, 3]


def test_every_search_has_its_best_passage_before_the_second_best_of_another() -> None:
    one, other = found(FIRST, SECOND, ids=(1, 2)), found(THIRD, ids=(3,))
    assert ids(pooled([one, other], 10)) == [1, 3, 2]


def test_pooled_candidates_have_no_more_sources_than_were_asked_for() -> None:
    pool = pooled([found(FIRST, SECOND, ids=(1, 2)), found(THIRD, ids=(3,))], 2)
    assert (ids(pool), list(pool.snapshots)) == ([1, 3], [FIRST.id, THIRD.id])
    assert [item.source for item in pool.evidence()] == [0, 1]


def test_terms_of_every_search_keep_their_frequencies() -> None:
    one = found(FIRST, ids=(1,))
    other = replace(one, stats=replace(one.stats, df={"other": 7}))
    assert pooled([one, other], 10).stats.df == {**one.stats.df, "other": 7}
