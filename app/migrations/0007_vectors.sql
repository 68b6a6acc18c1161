-- Passages as vectors of meaning. Derived: without these rows everything works, by words alone.
create table embedding_models (
    id smallint generated always as identity primary key,
    name text not null unique,              -- with the hash of its weights, or its service
    dimensions int not null
);

-- Vectors of two models are never compared; those of a former model go when the new one is done.
create table passage_vectors (
    passage_id int not null references passages (id) on delete cascade,
    model smallint not null references embedding_models (id),
    vector bytea not null,                  -- a signed byte per number, of any scale
    primary key (passage_id, model)
) with (autovacuum_vacuum_scale_factor = 0.05);
alter table passage_vectors alter column vector set storage external;
