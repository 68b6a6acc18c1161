"""The embedding_models and passage_vectors tables."""

from uuid import UUID

from app.core.db import Reader, Tx, run, value, values
from app.core.errors import required

# Locks nothing when the model is known, which is nearly always.
MODEL = "select id from embedding_models where name = %(name)s and dimensions = %(dimensions)s"

ADD_MODEL = """
    insert into embedding_models (name, dimensions) values (%(name)s, %(dimensions)s)
    on conflict (name) do nothing
    """


def model(reader: Reader, name: str, dimensions: int) -> int | None:
    """The number of a model; None when no vector of it was ever kept."""
    found = value(reader, MODEL, name=name, dimensions=dimensions)
    return None if found is None else int(found)


def add_model(tx: Tx, name: str, dimensions: int) -> int:
    """The number of a model. LookupError: the name has vectors of another length."""
    run(tx, ADD_MODEL, name=name, dimensions=dimensions)
    return required(model(tx, name, dimensions), LookupError(name))


# Passages about to be deleted are skipped: nothing waits, and nothing fails.
KEEP = """
    insert into passage_vectors (passage_id, model, vector)
    select passages.id, %(model)s, given.vector
    from unnest(%(ids)s::int[], %(vectors)s::bytea[]) as given (id, vector)
    join passages on passages.id = given.id
    order by passages.id for key share of passages skip locked
    on conflict do nothing
    """


def keep(tx: Tx, model: int, ids: list[int], vectors: list[bytes]) -> None:
    run(tx, KEEP, model=model, ids=ids, vectors=vectors)


OF = """
    select passage_vectors.passage_id,
    passage_vectors.vector from passage_vectors join embedding_models
      on embedding_models.id = passage_vectors.model
    where passage_vectors.passage_id = any(%(ids)s) and embedding_models.name = %(name)s
      and octet_length(passage_vectors.vector) = embedding_models.dimensions
      and embedding_models.dimensions = %(dimensions)s
    """


def of(reader: Reader, name: str, dimensions: int, ids: list[int]) -> list[tuple[int, bytes]]:
    """The vectors of passages under one model, in no order; those without one are left out."""
    parameters = {"name": name, "dimensions": dimensions, "ids": ids}
    with reader.cursor(binary=True) as cursor:
        return cursor.execute(OF, parameters).fetchall()


_UNDERSTOOD = """
    (%(languages)s::text[] is null
     or split_part(lower(coalesce(passages.language, snapshots.language)), '-', 1)
        = any(%(languages)s))
    """

MISSING = f"""
    select passages.id from passages join snapshots on snapshots.id = snapshot_id
    where passages.id > %(above)s and passages.id <= %(upto)s and {_UNDERSTOOD}
      and not exists (select from passage_vectors
                      where passage_id = passages.id and model = %(model)s)
    order by passages.id desc limit %(most)s
    """  # noqa: S608 (a constant)


def missing(
    reader: Reader, model: int, languages: list[str] | None, above: int, upto: int, most: int
) -> list[int]:
    """Indexed passages in `languages`, `above < id <= upto`, without a vector: newest first."""
    parameters = {"model": model, "languages": languages, "most": most}
    return values(reader, MISSING, above=above, upto=upto, **parameters)


NEWEST = "select coalesce(max(id), 0) from passages"


def newest(reader: Reader) -> int:
    """The highest id of a passage; 0 when there is none."""
    return int(value(reader, NEWEST))


COVERAGE = f"""
    select count(*), count(*) filter (where {_UNDERSTOOD}), count(vector)
    from passages join snapshots on snapshots.id = snapshot_id
    left join passage_vectors on passage_id = passages.id and model = %(model)s
    """  # noqa: S608 (a constant)


def coverage(reader: Reader, model: int, languages: list[str] | None) -> tuple[int, int, int]:
    """Counts the passages that there are, are in `languages`, and have a vector."""
    cursor = reader.execute(COVERAGE, {"model": model, "languages": languages})
    passages, understood, embedded = cursor.fetchall()[0]
    return passages, understood, embedded


# A passage may have vectors of several models.
BY_CORPUS = """
    select corpus_id, count(*)::int from passages
    where exists (select from passage_vectors where passage_id = passages.id) group by corpus_id
    """


def by_corpus(reader: Reader) -> dict[UUID, int]:
    return dict(reader.execute(BY_CORPUS).fetchall())


FORGET_OTHERS = """
    delete from passage_vectors where (passage_id, model) in (
        select passage_id, model from passage_vectors
        where model <> all(%(models)s) limit %(most)s)
    """


def forget_others(tx: Tx, models: list[int], most: int) -> int:
    """Delete some vectors of other models; how many."""
    return run(tx, FORGET_OTHERS, models=models, most=most)
