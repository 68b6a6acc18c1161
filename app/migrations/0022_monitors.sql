-- What a monitor knows of each page: the last state it reported, or confirmed.
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
    settled boolean not null default false,   -- nothing waits for the next run
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
);
create index monitor_changes_job on monitor_changes (job_id, id);
create index monitor_changes_run on monitor_changes (run_id, id);
create index monitor_changes_snapshot on monitor_changes (snapshot_id);
create index monitor_changes_previous on monitor_changes (previous_snapshot_id);
create index monitor_changes_age on monitor_changes (created_at);
