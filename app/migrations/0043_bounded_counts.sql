-- What waits is counted, and its oldest found, without reading the rows themselves.
create index jobs_ready_counted on jobs (queue, account_id, priority, id) include (run_at)
    where state = 'queued' and not delayed;
drop index jobs_ready;
alter index jobs_ready_counted rename to jobs_ready;

create index jobs_delayed_counted on jobs (run_at) include (queue)
    where state = 'queued' and delayed;
drop index jobs_delayed;
alter index jobs_delayed_counted rename to jobs_delayed;

-- Operators list what failed or was cancelled, newest first, among millions that succeeded.
create index jobs_unsuccessful on jobs (state, id) where state in ('pending', 'failed', 'cancelled');
