-- A job may wait for its parts, which are jobs too: a parent that waits holds no worker.
alter table jobs
    add column parent_id uuid,
    add column parts_open int not null default 0;   -- unfinished jobs whose parent this is
alter table jobs drop constraint jobs_state_check;
alter table jobs add constraint jobs_state_check check (
    state in ('pending', 'queued', 'dispatched', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')
);

create index jobs_parts on jobs (parent_id) where parent_id is not null;
create index jobs_parts_open on jobs (parent_id) where parent_id is not null and finished_at is null;
create index jobs_waiting on jobs (run_at) where state = 'waiting';

drop index jobs_unique;
create unique index jobs_unique on jobs (kind, unique_key)
    where unique_key is not null and state in ('queued', 'dispatched', 'running', 'waiting');
