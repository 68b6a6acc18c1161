-- What operators see of the queues, and what they do to them.

-- A queue that processes of ours serve. While it is paused nothing of it is dispatched or claimed.
create table queues (
    name text primary key,
    paused_at timestamptz,
    paused_by text,
    check ((paused_at is null) = (paused_by is null))
) with (fillfactor = 50);

-- What a queue was like at the end of a step, and what ended in it. A step without a row is a gap.
create table queue_samples (
    step_seconds int not null check (step_seconds in (10, 300)),
    at timestamptz not null,            -- the end of the step
    queue text not null,
    waiting int not null,
    running int not null,
    oldest_seconds real not null,       -- of what waited
    finished int not null,              -- succeeded
    failed int not null,
    workers int not null,
    primary key (step_seconds, at, queue)
);

-- A process group that takes jobs; `id` is what the names of all its processes begin with.
create table workers (
    id text primary key,
    name text not null,
    queues text[] not null,
    places int not null,
    version text not null,
    memory_bytes bigint,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    drain_at timestamptz,               -- when an operator said so
    stopped_at timestamptz              -- since when it takes nothing new
) with (fillfactor = 50);

-- Retrying or cancelling whatever a filter matched when it was requested. `id` is its job's.
create table bulk_actions (
    id uuid primary key,
    action text not null check (action in ('retry', 'cancel')),
    filter jsonb not null,
    requested_by text not null,
    expected int not null,              -- how many matched then
    done int not null default 0,
    refused int not null default 0,     -- could not be done: another of its key is open
    after_id uuid,                      -- everything up to this one was looked at in this pass
    done_in_pass int not null default 0,
    remaining int,                      -- still matching at the end: busy all the time
    created_at timestamptz not null default now(),
    finished_at timestamptz
);
create index bulk_actions_age on bulk_actions (created_at);

-- Who did what, when. Never changed.
create table operator_actions (
    id uuid primary key,
    at timestamptz not null default now(),
    by_whom text not null,
    action text not null,
    target text not null,
    jobs int
);
create index operator_actions_age on operator_actions (at);

-- What ended in a step is counted, and failures of a window are told by their causes.
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create index jobs_failed on jobs (finished_at) where state = 'failed';
