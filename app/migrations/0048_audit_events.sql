-- Who did what, when, in whose account. Only added to: no role of the service may change a row (`rights.toml`),
-- and what is past its time goes through `audit_forget`. Nothing is referred to by a foreign key, since
-- an event outlives what it is about. `operator_actions` is written by the release before; what it
-- writes comes here, where everybody reads.
create table audit_events (
    id uuid primary key,
    at timestamptz not null default now(),
    account_id uuid,                    -- in whose account; null: in none, it is about the service
    actor text not null
        check (actor in ('session', 'key', 'node', 'operator', 'cli', 'system', 'anonymous')),
    actor_id uuid,                      -- the account that acted
    by_whom text,                       -- who typed a command
    credential_id uuid,                 -- the API key, or the sign-in
    action text not null,               -- noun.verb
    object text,                        -- the id or the name of what it was done to
    facts jsonb not null default '{}',  -- names, ids and numbers
    address text,
    request_id uuid
);
create index audit_events_of_account on audit_events (account_id, id) where account_id is not null;
create index audit_events_of_operators on audit_events (id) where actor in ('operator', 'cli');
create index audit_events_age on audit_events (at);

create function audit_forget(kept_days double precision, most int) returns int
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with gone as (
        delete from audit_events where id in (
            select id from audit_events
            where at < now() - make_interval(secs => greatest(kept_days, 30) * 86400)
            order by at limit most for update skip locked
        ) returning 1
    )
    select count(*)::int from gone
$$;

create function audit_operator_action() returns trigger language plpgsql as $$
begin
    insert into audit_events (id, at, actor, by_whom, action, object, facts)
    values (
        new.id, new.at, 'operator', new.by_whom,
        case new.action
            when 'pause_queue' then 'queue.paused' when 'resume_queue' then 'queue.resumed'
            when 'drain_worker' then 'worker.drained' when 'forget_worker' then 'worker.forgotten'
            when 'retry_job' then 'job.retried' when 'cancel_job' then 'job.cancelled'
            when 'retry_jobs' then 'jobs.retried' when 'cancel_jobs' then 'jobs.cancelled'
            else new.action
        end,
        new.target, jsonb_strip_nulls(jsonb_build_object('jobs', new.jobs)));
    return null;
end $$;
create trigger audited after insert on operator_actions
    for each row execute function audit_operator_action();

-- What happened in an account stays when it is erased, without what would name a person.
create function audit_make_nameless(erased uuid) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update audit_events
    set address = null, facts = '{}', object = replace(object, account.email, 'erased'),
        by_whom = case when by_whom is not null and by_whom <> account.email then by_whom end
    from accounts account
    where account.id = erased and account.erasing_at is not null
      and (audit_events.account_id = erased or actor_id = erased or by_whom = account.email
           or strpos(object, account.email) > 0)
$$;
