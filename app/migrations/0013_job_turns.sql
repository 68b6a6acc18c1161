-- What is due is found in one index, by account: dispatchers walk it round, from where they were.
-- A retry or a job of the future is not in it until a dispatcher has seen that its time has come.
alter table jobs add column delayed boolean not null default false;
update jobs set delayed = true where state = 'queued' and run_at > now();

drop index jobs_ready;
create index jobs_ready on jobs (queue, account_id, priority, id)
    where state = 'queued' and not delayed;
create index jobs_delayed on jobs (run_at) where state = 'queued' and delayed;

-- What is out, by account: it counts against the depth of a queue and against the account's turn.
drop index jobs_dispatched;
drop index jobs_running;
create index jobs_out on jobs (queue, account_id) where state in ('dispatched', 'running');

-- Of all that is unfinished, and by another word: what is out or due is not to be read from it.
drop index jobs_deadline;
create index jobs_deadline on jobs (deadline_at) where finished_at is null;
