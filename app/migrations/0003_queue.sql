-- Jobs, who does them, what operators see of them, and the addresses that are told what happens.

-- Everything that happens later is a row here; the row itself is the promise.
create table jobs (
    id uuid primary key,
    -- No foreign key: checking it would lock the account's row on every submit.
    account_id uuid not null,
    queue text not null,
    kind text not null,
    -- pending: waits for its payment, and nobody dispatches it until it is started or refused;
    -- waiting: for its parts, which are jobs too, and meanwhile it holds no worker
    state text not null default 'queued' check (
        state in ('pending', 'queued', 'dispatched', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')
    ),
    priority smallint not null default 50,
    attempt int not null default 0,         -- fencing token: only grows, +1 per claim
    max_attempts int not null,
    unique_key text,                        -- at most one unfinished job of a kind with this key
    payload jsonb not null default '{}',    -- ids and options, never secrets
    request_id text,
    run_at timestamptz not null default now(),
    dispatch_until timestamptz,             -- the message is given up for lost after this
    lease_until timestamptz,                -- the worker is given up for dead after this; not indexed,
                                            -- so that renewing it stays a heap-only update
    deadline_at timestamptz not null,
    worker text,
    progress jsonb not null default '{}',
    error jsonb,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    worked_seconds real,                    -- of the attempt that succeeded, without waiting
    -- A retry or a job of the future, until a dispatcher has seen that its time has come.
    delayed boolean not null default false,
    parent_id uuid,
    parts_open int not null default 0       -- unfinished jobs whose parent this is
) with (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
    -- While much is done the index over what waits fills with dead entries, which every choice walks
    -- past until a vacuum is through. So it does not rest in between.
    autovacuum_vacuum_cost_delay = 0
);
-- What is due is found in one index, by account: dispatchers walk it round, from where they were.
-- It is counted, and its oldest found, without reading the rows themselves.
create index jobs_ready on jobs (queue, account_id, priority, id) include (run_at)
    where state = 'queued' and not delayed;
create index jobs_delayed on jobs (run_at) include (queue) where state = 'queued' and delayed;
-- What is out, by account: it counts against the depth of a queue and against the account's turn.
create index jobs_out on jobs (queue, account_id) where state in ('dispatched', 'running');
create index jobs_waiting on jobs (run_at) where state = 'waiting';
create index jobs_parts on jobs (parent_id) where parent_id is not null;
create index jobs_parts_open on jobs (parent_id) where parent_id is not null and finished_at is null;
-- Of all that is unfinished, and by another word: what is out or due is not to be read from it.
create index jobs_deadline on jobs (deadline_at) where finished_at is null;
create unique index jobs_unique on jobs (kind, unique_key)
    where unique_key is not null and state in ('queued', 'dispatched', 'running', 'waiting');
-- What ended in a step is counted, and failures of a window are told by their causes.
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create index jobs_failed on jobs (finished_at) where state = 'failed';
-- Operators list what failed or was cancelled, newest first, among millions that succeeded.
create index jobs_unsuccessful on jobs (state, id) where state in ('pending', 'failed', 'cancelled');

create table job_attempts (
    job_id uuid not null references jobs (id) on delete cascade,
    attempt int not null,
    worker text,
    started_at timestamptz,
    ended_at timestamptz not null default now(),
    outcome text not null check (outcome in ('failed', 'lost', 'released', 'overdue')),
    error jsonb,
    primary key (job_id, attempt)
);

create table schedules (
    id uuid primary key,
    account_id uuid not null,
    kind text not null,
    payload jsonb not null default '{}',
    every_seconds bigint check (every_seconds > 0),
    cron text,
    timezone text not null default 'UTC',
    next_tick timestamptz not null,
    enabled boolean not null default true,
    created_at timestamptz not null default now(),
    check ((every_seconds is null) <> (cron is null))
);
create index schedules_due on schedules (next_tick) where enabled;

-- One row per tick, written with its job: however many schedulers run, a tick has one run.
create table schedule_runs (
    schedule_id uuid not null references schedules (id) on delete cascade,
    tick timestamptz not null,
    job_id uuid not null,
    primary key (schedule_id, tick)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index schedule_runs_tick on schedule_runs (tick);

-- Who dispatches, and who of them sleeps: a submit wakes a sleeper and otherwise saves the NOTIFY.
create table dispatchers (
    id text primary key,
    sleeping boolean not null default false,
    seen_at timestamptz not null default now()
) with (fillfactor = 50);

-- When dispatchers last swept. After a gap leases of nodes are prolonged: the failure was ours.
create table sweeps (
    one boolean primary key default true check (one),
    swept_at timestamptz not null default now()
);
insert into sweeps default values;

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
    at timestamptz not null,                -- the end of the step
    queue text not null,
    waiting int not null,
    running int not null,
    oldest_seconds real not null,           -- of what waited
    finished int not null,                  -- succeeded
    failed int not null,
    workers int not null,
    primary key (step_seconds, at, queue)
) with (autovacuum_vacuum_scale_factor = 0.02);

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
    drain_at timestamptz,                   -- when an operator said so
    stopped_at timestamptz                  -- since when it takes nothing new
) with (fillfactor = 50);

-- Retrying or cancelling whatever a filter matched when it was requested. `id` is its job's.
create table bulk_actions (
    id uuid primary key,
    action text not null check (action in ('retry', 'cancel')),
    filter jsonb not null,
    requested_by text not null,
    expected int not null,                  -- how many matched then
    done int not null default 0,
    refused int not null default 0,         -- could not be done: another of its key is open
    after_id uuid,                          -- everything up to this one was looked at in this pass
    done_in_pass int not null default 0,
    remaining int,                          -- still matching at the end: busy all the time
    created_at timestamptz not null default now(),
    finished_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.02);
create index bulk_actions_age on bulk_actions (created_at);

-- Addresses that are told what happens.
create table webhooks (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    job_id uuid,                            -- hears of this job only, and goes with it
    url text not null,
    events text[] not null,
    -- Encrypted: they sign. The former one signs as well until then.
    secret bytea not null,
    former_secret bytea,
    former_until timestamptz,
    enabled boolean not null default true,
    disabled_at timestamptz,
    disabled_reason text,
    failing_since timestamptz,              -- the first failed attempt after the last success
    failed_attempts int not null default 0, -- since then
    timeouts int not null default 0,        -- in a row
    paused_until timestamptz,
    created_at timestamptz not null default now()
);
create index webhooks_account on webhooks (account_id, id);
create index webhooks_job on webhooks (job_id) where job_id is not null;

create table webhook_events (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    type text not null,
    subject uuid not null,
    version bigint not null,                -- grows with each event of a subject
    body bytea not null,                    -- as it is signed and sent, each time
    occurred_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index webhook_events_subject on webhook_events (subject, version);
create index webhook_events_occurred on webhook_events (occurred_at);

-- Who is told of an event, and what became of that.
create table webhook_deliveries (
    id uuid primary key,                    -- of its job
    webhook_id uuid not null references webhooks (id) on delete cascade,
    event_id uuid not null references webhook_events (id) on delete cascade,
    redelivery_of uuid,
    status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
    error text,                             -- why it failed, where no attempt says so
    sending int,                            -- the attempt of its job that is at it
    created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);  -- looked for by state among rows that change it, as jobs
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id) where status = 'waiting';

create table webhook_attempts (
    delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
    n int not null,
    at timestamptz not null default now(),
    status int,                             -- of HTTP
    error text,
    milliseconds int not null,
    answer text,                            -- its beginning
    primary key (delivery_id, n)
);
