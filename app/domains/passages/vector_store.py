"""The embedding_models and passage_vectors tables."""

from app.core.db import Reader, Tx, run, value, values

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
    found = model(tx, name, dimensions)
    if found is None:
        raise LookupError(name)
    return found


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
    """Keep the vectors of those passages that are stored."""
    run(tx, KEEP, model=model, ids=ids, vectors=vectors)


OF = """
    select passage_id, vector from passage_vectors join embedding_models on id = model
    where passage_id = any(%(ids)s) and name = %(name)s
      and octet_length(vector) = dimensions and dimensions = %(dimensions)s
    """


def of(reader: Reader, name: str, dimensions: int, ids: list[int]) -> list[tuple[int, bytes]]:
    """The vectors of passages under one model, in no order; those without one are left out."""
    parameters = {"name": name, "dimensions": dimensions, "ids": ids}
    with reader.cursor(binary=True) as cursor:
        return cursor.execute(OF, parameters).fetchall()


MISSING = """
    select passages.id from passages join snapshots on snapshots.id = snapshot_id
    where passages.id > %(after)s
      and (%(languages)s::text[] is null
           or split_part(lower(coalesce(passages.language, snapshots.language)), '-', 1)
              = any(%(languages)s))
      and not exists (select from passage_vectors
                      where passage_id = passages.id and model = %(model)s)
    order by passages.id limit %(most)s
    """


def missing(
    reader: Reader, model: int, after: int, languages: list[str] | None, most: int
) -> list[int]:
    """Indexed passages above `after` without a vector, lowest ids first."""
    parameters = {"model": model, "after": after, "languages": languages, "most": most}
    return list(values(reader, MISSING, **parameters))


FORGET_OTHERS = """
    delete from passage_vectors where (passage_id, model) in (
        select passage_id, model from passage_vectors where model <> %(model)s limit %(most)s)
    """


def forget_others(tx: Tx, model: int, most: int) -> int:
    """Delete some vectors of other models; how many."""
    return run(tx, FORGET_OTHERS, model=model, most=most)
