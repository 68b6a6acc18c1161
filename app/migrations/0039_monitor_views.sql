-- Up to which run the owner of a monitor has looked at what changed. A job has one owner.
create table monitor_views (
    job_id uuid primary key references extraction_jobs (id) on delete cascade,
    run_n int not null,
    viewed_at timestamptz not null default now()
);
