-- Deletes released snapshots that no row of any table refers to, whichever table that is, and keeps
-- those that are cited or indexed. Returns how many it looked at. A row that is locked for update
-- gets no new reference, and the statements after the first see every reference there is.
create or replace function forget_snapshots(released_before timestamptz, most int) returns int
language plpgsql as $$
declare
    looked_at uuid[];
    referred_to text;
begin
    looked_at := array(
        select id from snapshots where released_at < released_before
        order by released_at, id limit most for update skip locked
    );
    select string_agg(format('exists (select from %s where %I = snapshots.id)',
                             conrelid::regclass, attname), ' or ')
    into referred_to
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'snapshots'::regclass;
    execute format('update snapshots set released_at = null where id = any($1) and (%s)',
                   referred_to) using looked_at;
    delete from snapshots where id = any(looked_at) and released_at is not null;
    return cardinality(looked_at);
end $$;

create index schedule_runs_tick on schedule_runs (tick);
