-- Searches, and what personas of an account are to remember.

-- Texts and tags of memories are sealed with the persona's key; the database sees no more of them than their
-- number and size.
create table memory_keys (
    account_id uuid not null references accounts on delete cascade,
    persona_id text not null,
    wrapped bytea not null,                 -- the persona's key, sealed under SECRET_KEY
    primary key (account_id, persona_id)
);

create table memories (
    id uuid primary key,
    account_id uuid not null,
    persona_id text not null,
    type text not null check (type in ('preference', 'fact', 'instruction', 'event')),
    version int not null,
    sealed bytea not null,                  -- content and tags
    digest bytea not null,                  -- of all of it, under the persona's key: tells duplicates
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    expires_at timestamptz,
    supersedes uuid,
    superseded_by uuid,
    -- Without its key nothing of a persona can be read, so it goes with the key.
    foreign key (account_id, persona_id) references memory_keys on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.02);
create unique index memories_digest on memories (account_id, persona_id, digest)
    where superseded_by is null;
create index memories_persona on memories (account_id, persona_id, id);
create index memories_expiring on memories (expires_at) where expires_at is not null;

-- What a memory was before it was changed.
create table memory_versions (
    memory_id uuid not null references memories on delete cascade,
    account_id uuid not null,
    version int not null,
    sealed bytea not null,
    created_at timestamptz not null,
    primary key (memory_id, version)
);

-- After a transaction the setting is '', not null: without nullif the next statement would fail.
create function current_account() returns uuid stable language sql
    return nullif(current_setting('app.account_id', true), '')::uuid;

alter table memory_keys enable row level security, force row level security;
alter table memories enable row level security, force row level security;
alter table memory_versions enable row level security, force row level security;

create policy of_account on memory_keys using (account_id = (select current_account()));
create policy of_account on memories using (account_id = (select current_account()));
create policy of_account on memory_versions using (account_id = (select current_account()));

-- Retention deletes for all accounts, and meets nothing but what has expired.
create policy expired on memories
    using (current_setting('app.duty', true) = 'retention' and expires_at <= now())
    with check (false);

-- A question and its answer. The life of the work is the job of the same id.
create table searches (
    id uuid primary key,
    account_id uuid not null,
    query text not null,
    options jsonb not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    warnings jsonb not null default '[]',
    result jsonb                            -- answer, citations, stats; null until completed
) with (autovacuum_vacuum_scale_factor = 0.02);
create index searches_account on searches (account_id, id);
create index searches_expiry on searches (expires_at);

-- Provenance is kept exactly as long as the answer: deleting the search frees the snapshot.
create table search_sources (
    search_id uuid not null references searches (id) on delete cascade,
    n int not null,
    snapshot_id uuid not null references snapshots (id),
    primary key (search_id, n)
);
create index search_sources_snapshot on search_sources (snapshot_id);
