"""Vectors of passages in Postgres: kept per model, gone with their passage."""

from collections.abc import Sequence

import numpy as np
import pytest

from app.core import db
from app.core.db import Tx
from app.domains.library.passages import retrieval, vector_store, vectors
from app.engine.search.interface import IndexedPassage
from app.engine.semantic.embedder import Vectors, unit
from tests import builders
from tests.embedders import ReadsQuestionsAsPassages

ENGLISH = "# Owls\n\nThe barn owl hunts at night, and it is the most common of all the owls.\n"
GERMAN = "# Eulen\n\nDie Schleiereule jagt in der Nacht, und sie ist die häufigste aller Eulen.\n"


class Fixed(ReadsQuestionsAsPassages):
    """An embedder by name; its vectors are nobody's business here."""

    batch = at_once = 8

    def __init__(
        self, name: str = "one", dimensions: int = 3, languages: frozenset[str] | None = None
    ) -> None:
        self.name, self.dimensions, self.languages = name, dimensions, languages

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        raise NotImplementedError


ONE, OTHER = Fixed("one"), Fixed("other")
ANY = 1_000_000  # above any id


@pytest.fixture
def passage(database: str) -> IndexedPassage:
    """The only one in the index."""
    builders.indexed_page("https://birds.example.org/owls", ENGLISH)
    with db.reading() as reader:
        ids = vectors.missing(reader, ONE, 0, ANY, 9)
        (found,) = retrieval.passages(reader, ids)
    return found


def rows(*numbers: Sequence[float]) -> Vectors:
    return unit(np.array(numbers, np.float32))


def keep(tx: Tx, embedder: Fixed, passage: IndexedPassage, *numbers: float) -> None:
    vectors.keep(tx, embedder, [passage], rows(numbers))


def test_a_kept_vector_comes_back_with_its_direction(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, ONE, passage, 1, -2, 2)
    assert vectors.of(tx, ONE, [passage.id])[passage.id] == pytest.approx(
        rows([1, -2, 2])[0], abs=0.01
    )


def test_vectors_of_another_model_are_not_seen(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, OTHER, passage, 1, 2, 3)
    assert vectors.of(tx, ONE, [passage.id]) == {}


def test_under_another_model_a_passage_misses_its_vector(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, OTHER, passage, 1, 2, 3)
    assert vectors.missing(tx, ONE, 0, ANY, 9) == [passage.id]
    assert vectors.missing(tx, OTHER, 0, ANY, 9) == []


def test_one_name_has_vectors_of_one_length(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, ONE, passage, 1, 2, 3)
    with pytest.raises(LookupError):
        keep(tx, Fixed("one", dimensions=4), passage, 1, 2, 3, 4)


def test_vectors_go_with_their_passage(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, ONE, passage, 1, 2, 3)
    tx.execute("delete from passages where id = %s", [passage.id])
    assert vectors.of(tx, ONE, [passage.id]) == {}


def test_a_passage_that_is_gone_keeps_no_vector(passage: IndexedPassage, tx: Tx) -> None:
    tx.execute("delete from passages where id = %s", [passage.id])
    keep(tx, ONE, passage, 1, 2, 3)
    assert vectors.of(tx, ONE, [passage.id]) == {}


def test_a_passage_on_its_way_out_is_not_waited_for(passage: IndexedPassage) -> None:
    with db.transaction() as refresh, db.transaction() as tx:
        refresh.execute("delete from passages where id = %s", [passage.id])
        keep(tx, ONE, passage, 1, 2, 3)
        assert vectors.of(tx, ONE, [passage.id]) == {}


def test_the_first_of_two_vectors_stays(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, ONE, passage, 1, 0, 0)
    keep(tx, ONE, passage, 0, 1, 0)
    assert vectors.of(tx, ONE, [passage.id])[passage.id].tolist() == [1, 0, 0]


def test_only_languages_the_model_understands_miss_a_vector(passage: IndexedPassage) -> None:
    builders.indexed_page("https://birds.example.org/eulen", GERMAN)
    with db.transaction() as tx:
        english = vectors.missing(tx, Fixed(languages=frozenset({"en"})), 0, ANY, 9)
        every = vectors.missing(tx, ONE, 0, ANY, 9)
    assert (english, len(every)) == ([passage.id], 2)


@pytest.mark.parametrize(
    ("above", "upto", "listed"), [(0, 0, False), (-1, 0, True), (-2, -1, False)]
)
def test_missing_ones_are_listed_within_bounds(
    passage: IndexedPassage, tx: Tx, above: int, upto: int, listed: bool
) -> None:
    ids = vectors.missing(tx, ONE, passage.id + above, passage.id + upto, 9)
    assert ids == [passage.id] * listed


def test_missing_ones_are_listed_newest_first(passage: IndexedPassage, tx: Tx) -> None:
    builders.indexed_page("https://birds.example.org/eulen", GERMAN)
    assert vectors.missing(tx, ONE, 0, ANY, 9) == [vector_store.newest(tx), passage.id]


def test_coverage_counts_what_has_a_vector_and_what_could(passage: IndexedPassage, tx: Tx) -> None:
    builders.indexed_page("https://birds.example.org/eulen", GERMAN)
    english = Fixed(languages=frozenset({"en"}))
    assert vectors.coverage(tx, [english]) == vectors.Coverage(2, 1, 0)
    keep(tx, english, passage, 1, 2, 3)
    assert vectors.coverage(tx, [english]) == vectors.Coverage(2, 1, 1)


def test_vectors_of_former_models_are_forgotten(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, ONE, passage, 1, 2, 3)
    keep(tx, OTHER, passage, 1, 2, 3)
    assert [vectors.forget_others(tx, [OTHER]), vectors.forget_others(tx, [OTHER])] == [1, 0]
    assert list(vectors.of(tx, OTHER, [passage.id])) == [passage.id]
    assert vectors.of(tx, ONE, [passage.id]) == {}


def test_models_for_other_languages_are_no_former_ones(passage: IndexedPassage, tx: Tx) -> None:
    keep(tx, ONE, passage, 1, 2, 3)
    keep(tx, OTHER, passage, 1, 2, 3)
    assert vectors.forget_others(tx, [ONE, OTHER]) == 0


def test_coverage_is_that_of_all_models_in_use(passage: IndexedPassage, tx: Tx) -> None:
    builders.indexed_page("https://birds.example.org/eulen", GERMAN)
    english, german = (Fixed(code, languages=frozenset({code})) for code in ("en", "de"))
    keep(tx, english, passage, 1, 2, 3)
    assert vectors.coverage(tx, [english, german]) == vectors.Coverage(2, 2, 1)


def test_nothing_is_forgotten_for_a_model_without_any_vector(
    passage: IndexedPassage, tx: Tx
) -> None:
    keep(tx, ONE, passage, 1, 2, 3)
    assert vectors.forget_others(tx, [OTHER]) == 0


def test_one_promise_at_a_time(tx: Tx) -> None:
    vectors.promise(tx)
    vectors.promise(tx, vectors.Sweep(7, ((0, 7),)))
    payloads = tx.execute("select payload from jobs where kind = 'passages.embed'").fetchall()
    assert payloads == [({"newest": 0, "spans": []},)]
