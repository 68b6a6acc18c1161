-- Jobs that read pages into records: their runs, the pages of a run and the records read; what
-- monitors know of pages, and the steps of workflows.

create table extraction_jobs (
    id uuid primary key,
    account_id uuid not null,
    type text not null,
    -- json and not jsonb keeps the order of members: the columns of a table follow that of the schema.
    body json not null,                     -- as it was sent, with defaults
    plan json,                              -- the schema of one record, references inlined
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
    erased_at timestamptz,                  -- since then nobody reads it, and its rows are deleted
    -- The workflow whose step it is: its run is a part of the workflow's, and callers do not see it.
    part_of uuid
) with (autovacuum_vacuum_scale_factor = 0.02);
create index extraction_jobs_account on extraction_jobs (account_id, id);
create index extraction_jobs_expiry on extraction_jobs (expires_at);
create index extraction_jobs_part on extraction_jobs (part_of) where part_of is not null;

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
    stage text not null default 'planning', -- where a run that waits goes on
    unpaced text[] not null default '{}',   -- hosts that need no pause: the operator's own
    unique (job_id, n)
) with (autovacuum_vacuum_scale_factor = 0.02);
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
    -- rendering: only its scripts write its text, so it waits for a browser, neither queued nor taken
    state text not null default 'queued' check (state in ('queued', 'rendering', 'taken', 'done')),
    part_id uuid,
    tries int not null default 0,
    outcome text,
    verdict text,
    snapshot_id uuid references snapshots (id),
    body bytea,                             -- gzipped, until the run has ended
    readings bytea,                         -- first readings as gzipped JSON, until the run has ended
    records int not null default 0,
    fetched_at timestamptz,
    final_url text,                         -- after redirects, if there were any
    media_type text,
    charset text,
    not_before timestamptz,                 -- it is looked at again some time later in the same run
    unique (run_id, url),
    unique (run_id, n)
);
create index extraction_pages_queued on extraction_pages (run_id, host, n) where state = 'queued';
create index extraction_pages_rendering on extraction_pages (run_id, n) where state = 'rendering';
create index extraction_pages_taken on extraction_pages (part_id) where state = 'taken';
create index extraction_pages_snapshot on extraction_pages (snapshot_id);
create index extraction_pages_final on extraction_pages (run_id, final_url) where final_url is not null;
-- A quote is checked by the address of its page, whichever job read that.
create index extraction_pages_url on extraction_pages using hash (url) where snapshot_id is not null;

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

-- Quotes that are checked against what is stored and what the page says now.
create table extraction_verifications (
    id uuid primary key,                    -- of its job
    account_id uuid not null,
    snapshot_id uuid references snapshots (id),
    url text not null,
    quote text not null,
    stored jsonb,
    live jsonb,
    live_error text,
    created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index extraction_verifications_age on extraction_verifications (created_at);
create index extraction_verifications_snapshot on extraction_verifications (snapshot_id);

-- Pages as monitors know them: in the last state that was reported, or confirmed.
create table monitor_pages (
    job_id uuid not null references extraction_jobs (id) on delete cascade,
    url text not null,
    state jsonb,                            -- null until the page was read once
    body bytea,                             -- gzipped, as it was read for the state
    media_type text,
    charset text,
    final_url text,                         -- where it was read; for good, if the page moved there
    snapshot_id uuid references snapshots (id),
    etag text,
    last_modified text,
    body_hash bytea,                        -- of the last body that was no news
    settled boolean not null default false, -- nothing waits for the next run
    look bytea,                             -- the first look of this run, gzipped JSON, until the second
    look_run uuid,
    missing int not null default 0,         -- runs in a row that did not find it
    removed boolean not null default false,
    checked_at timestamptz,
    primary key (job_id, url)
);
create index monitor_pages_snapshot on monitor_pages (snapshot_id);

create table monitor_changes (
    id uuid primary key,
    job_id uuid not null references extraction_jobs (id) on delete cascade,
    run_id uuid not null,
    url text not null,
    verdict text not null check (verdict in ('new', 'changed', 'removed')),
    record_id uuid,
    fields jsonb not null default '[]',
    facts jsonb not null default '{}',      -- difference, moved_to, returned
    snapshot_id uuid references snapshots (id),
    previous_snapshot_id uuid references snapshots (id),
    created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index monitor_changes_job on monitor_changes (job_id, id);
create index monitor_changes_run on monitor_changes (run_id, id);
create index monitor_changes_snapshot on monitor_changes (snapshot_id);
create index monitor_changes_previous on monitor_changes (previous_snapshot_id);
create index monitor_changes_age on monitor_changes (created_at);

-- Up to which run the owner of a monitor has looked at what changed. A job has one owner.
create table monitor_views (
    job_id uuid primary key references extraction_jobs (id) on delete cascade,
    run_n int not null,
    viewed_at timestamptz not null default now()
);

-- The steps of a run of a workflow, which need one another.
create table workflow_steps (
    run_id uuid not null references extraction_runs (id) on delete cascade,
    step text not null,
    place int not null,                     -- among the steps of the request
    type text not null,
    needs text[] not null,
    state text not null default 'blocked'
        check (state in ('blocked', 'ready', 'running', 'done', 'failed', 'skipped')),
    tries int not null default 0,           -- that failed
    complete boolean not null default false,
    lanes_open int not null default 0,
    reading jsonb,                          -- where its next slice goes on in the items it needs
    extraction_id uuid,                     -- the job of an extraction, and its run
    job_id uuid,
    items_in int not null default 0,
    items_out int not null default 0,
    because text,                           -- why it was skipped or has failed
    error jsonb,
    validation jsonb,
    started_at timestamptz,
    ended_at timestamptz,
    primary key (run_id, step)
);
create index workflow_steps_job on workflow_steps (job_id) where job_id is not null;

-- What a step fans out to: each is done by one of its lanes.
create table workflow_items (
    run_id uuid not null,
    step text not null,
    n int not null,
    state text not null default 'queued' check (state in ('queued', 'taken', 'done', 'failed')),
    part_id uuid,
    tries int not null default 0,
    data jsonb not null,
    error jsonb,
    primary key (run_id, step, n),
    foreign key (run_id, step) references workflow_steps (run_id, step) on delete cascade
);
create index workflow_items_queued on workflow_items (run_id, step, n) where state = 'queued';
create index workflow_items_taken on workflow_items (part_id) where state = 'taken';

-- What a step returns. An extraction returns the records of its run instead.
create table workflow_outputs (
    run_id uuid not null,
    step text not null,
    n bigint not null,
    key bytea,                              -- no other output of the step has it
    record_id uuid,
    url text not null,
    data jsonb not null,
    primary key (run_id, step, n),
    foreign key (run_id, step) references workflow_steps (run_id, step) on delete cascade
);
create unique index workflow_outputs_key on workflow_outputs (run_id, step, key)
    where key is not null;
