-- Everything that happens later is a row here; the row itself is the promise.
create table jobs (
    id uuid primary key,
    -- No foreign key: checking it would lock the account's row on every submit.
    account_id uuid not null,
    queue text not null,
    kind text not null,
    state text not null default 'queued'
        check (state in ('queued', 'dispatched', 'running', 'succeeded', 'failed', 'cancelled')),
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
    worked_seconds real                     -- of the attempt that succeeded, without waiting
) with (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500
);
create index jobs_ready on jobs (queue, account_id, priority, id) where state = 'queued';
create index jobs_dispatched on jobs (queue, id) where state = 'dispatched';
create index jobs_running on jobs (id) where state = 'running';
create index jobs_deadline on jobs (deadline_at) where state in ('queued', 'dispatched', 'running');
create unique index jobs_unique on jobs (kind, unique_key)
    where unique_key is not null and state in ('queued', 'dispatched', 'running');

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
);

-- Who dispatches, and who of them sleeps: a submit wakes a sleeper and otherwise saves the NOTIFY.
create table dispatchers (
    id text primary key,
    sleeping boolean not null default false,
    seen_at timestamptz not null default now()
) with (fillfactor = 50);
