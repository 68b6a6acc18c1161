-- Indexes outside of Postgres that follow the one in it, and what they have not heard of yet.
create table if not exists remote_indexes (
    id int generated always as identity primary key,
    ns text not null,
    name text not null,                     -- of the index there
    analysis int not null,                  -- the version of the analysis its terms come from
    state text not null check (state in ('serving', 'building', 'left')),
    built_to int not null default 0,        -- while building: passages up to this id are in it
    sent bigint not null default 0          -- changes up to this position are in it
);
create unique index if not exists remote_indexes_current on remote_indexes (ns, state) where state <> 'left';

-- Written in the transaction that stores or removes passages, and only while an index follows.
-- Numbers taken by concurrent transactions do not commit in their order, so a change has its place
-- in the order of sending only once it is committed: whoever sends gives it the next position.
create table if not exists passage_changes (
    id bigint generated always as identity primary key,
    ns text not null,
    position bigint,
    added int[] not null,
    removed int[] not null,
    passages int not null,                  -- how many there are in both
    written_at timestamptz not null default now()
);
create index if not exists passage_changes_waiting on passage_changes (id) where position is null;
create unique index if not exists passage_changes_position on passage_changes (position)
    where position is not null;
create sequence if not exists passage_change_positions minvalue 2;  -- version 1 is that of what is built
