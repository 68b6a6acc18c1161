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
);
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
) with (fillfactor = 70);
create index request_counts_day on request_counts (day);
