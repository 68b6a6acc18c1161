-- A job may be a step of a workflow: its run is a part of the workflow's, and callers do not see it.
alter table extraction_jobs add column part_of uuid;
create index extraction_jobs_part on extraction_jobs (part_of) where part_of is not null;

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
