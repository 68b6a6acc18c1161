-- Jobs that read pages: what was asked for, their runs, the pages of a run and the records read.
create table extraction_jobs (
    id uuid primary key,
    account_id uuid not null,
    type text not null,
    body jsonb not null,                    -- as it was sent, with defaults
    plan jsonb,                             -- the schema of one record, references inlined
    metadata jsonb not null default '{}',
    run_id uuid,                            -- its latest run
    schedule_id uuid,                       -- it lives as long as this, and never just ends
    rerun_of uuid,
    webhook_id uuid,
    warnings jsonb not null default '[]',
    deadline_seconds real not null,         -- of each run
    kept_seconds real not null,             -- after its end
    stop_reason text,
    error jsonb,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    cancelled_at timestamptz,
    expires_at timestamptz,
    erased_at timestamptz                   -- since then nobody reads it, and its rows are deleted
);
create index extraction_jobs_account on extraction_jobs (account_id, id);
create index extraction_jobs_expiry on extraction_jobs (expires_at);

create table extraction_runs (
    id uuid primary key,                    -- of its job, which has state, fence and deadline
    job_id uuid not null references extraction_jobs (id) on delete cascade,
    n int not null,
    tick timestamptz,
    skipped text,
    stop_reason text,
    error jsonb,
    started_at timestamptz,                 -- set at the end, from its job
    ended_at timestamptz,
    expires_at timestamptz,                 -- once another run has followed; the last goes with its job
    found int not null default 0,
    done int not null default 0,            -- over, the failed among them
    failed int not null default 0,
    records int not null default 0,
    stats jsonb not null default '{}',
    validation jsonb,
    templates jsonb not null default '{}',  -- what was learnt, by host
    unique (job_id, n)
);
-- Two runs of a job never overlap: that is a fact of the table.
create unique index extraction_runs_open on extraction_runs (job_id) where ended_at is null;
create index extraction_runs_expiry on extraction_runs (expires_at);

create table extraction_pages (
    id uuid primary key,
    run_id uuid not null references extraction_runs (id) on delete cascade,
    n int not null,
    url text not null,
    host text not null,
    depth int not null default 0,
    state text not null default 'queued' check (state in ('queued', 'taken', 'done')),
    part_id uuid,
    tries int not null default 0,
    outcome text,
    verdict text,
    snapshot_id uuid references snapshots (id),
    body bytea,                             -- gzipped, until the run has ended
    readings bytea,                         -- first readings as gzipped JSON, until the run has ended
    records int not null default 0,
    fetched_at timestamptz,
    unique (run_id, url),
    unique (run_id, n)
);
create index extraction_pages_queued on extraction_pages (run_id, host, n) where state = 'queued';
create index extraction_pages_taken on extraction_pages (part_id) where state = 'taken';
create index extraction_pages_snapshot on extraction_pages (snapshot_id);

create table extraction_records (
    id uuid primary key,
    run_id uuid not null references extraction_runs (id) on delete cascade,
    page_id uuid not null references extraction_pages (id) on delete cascade,
    position bigint not null,               -- page n x 100,000 + place on the page: done twice is done once
    identity bytea,
    version int not null default 1,
    data jsonb not null,
    unsatisfied jsonb not null,
    provenance jsonb not null,
    candidates jsonb not null,
    confidence real not null,
    unique (run_id, position)
);
create index extraction_records_page on extraction_records (page_id);

create table extraction_samples (
    record_id uuid primary key references extraction_records (id) on delete cascade,
    run_id uuid not null,
    verdict text not null check (verdict in ('passed', 'failed', 'not_comparable')),
    fields jsonb not null
);
create index extraction_samples_run on extraction_samples (run_id);
