-- What callers requested, and all that is an account's own, to take out.

-- Requests of identified callers, to be looked up by their id; bodies are never kept. Rows arrive in
-- batches, a moment after the answer, so they refer to nothing by a foreign key.
create table requests (
    id uuid primary key,                    -- what `X-Request-Id` says
    account_id uuid not null,
    credential_id uuid not null,            -- an API key, or a sign-in
    source text not null check (source in ('key', 'token', 'page')),
    at timestamptz not null,
    method text not null,
    route text not null,                    -- the template of the path
    path text not null,                     -- without the query
    operation text,                         -- null: a page
    status smallint not null,
    milliseconds real not null,             -- until the answer began
    error jsonb,                            -- code, message and details, as they were answered
    headers jsonb not null,                 -- a few, none of which proves anything
    replayed boolean not null,              -- the answer was that of an earlier Idempotency-Key
    made_prefix text,                       -- what the answer's `Location` names
    made_id uuid
) with (autovacuum_vacuum_scale_factor = 0.02);
create index requests_calls on requests (account_id, id) where source <> 'page';
create index requests_chats on requests (account_id, id) where operation = 'createChatCompletion';

-- How many there were, also of those that were too many to keep one by one. Pages are not counted.
create table request_counts (
    day date not null,                      -- in UTC
    account_id uuid not null,
    credential_id uuid not null,
    operation text not null,
    requests bigint not null,
    failed bigint not null,                 -- answered with 400 or above
    replayed bigint not null,
    primary key (account_id, day, credential_id, operation)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index request_counts_day on request_counts (day);

-- An account's export of everything that is its own.
create table account_exports (
    id uuid primary key,                    -- of its job
    account_id uuid not null unique,        -- the next one replaces it
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    bytes bigint,                           -- of the file, once it is whole
    rows_of jsonb not null default '{}'     -- how many, by the name of each file in it
) with (autovacuum_vacuum_scale_factor = 0.02);
create index account_exports_expiring on account_exports (expires_at);

-- The file in pieces, each sealed: it holds what is sealed elsewhere.
create table account_export_parts (
    export_id uuid not null references account_exports (id) on delete cascade,
    n int not null,
    sealed bytea not null,
    primary key (export_id, n)
);
alter table account_export_parts alter column sealed set storage external;
