-- What was asked and what was answered. The life of the work is the job of the same id.
create table searches (
    id uuid primary key,
    account_id uuid not null,
    query text not null,
    options jsonb not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    warnings jsonb not null default '[]',
    result jsonb                            -- answer, citations, stats; null until completed
);
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
