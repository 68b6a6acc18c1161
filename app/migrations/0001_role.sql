-- The role that the service works as: it reads and writes rows, owns nothing and is held by row
-- security. Nobody signs in as it. Other databases of the server may make it at the same time.
-- `rights.toml` says what it may not, and what the roles of the API and of the workers may.
do $$
begin
    if not exists (select from pg_roles where rolname = 'citegrid_app') then
        begin
            create role citegrid_app nologin nosuperuser nobypassrls nocreatedb nocreaterole;
        exception
            when duplicate_object or unique_violation then null;
            when insufficient_privilege then
                raise insufficient_privilege using message = format(
                    'the role citegrid_app is missing and %1$I may not create it; run'
                    ' "create role citegrid_app nologin; grant citegrid_app to %1$I" as a superuser,'
                    ' then migrate again', current_user);
        end;
    end if;
    if not pg_has_role('citegrid_app', case
        when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER'
    end) then
        begin
            execute format('grant citegrid_app to %I', current_user);
        exception
            when insufficient_privilege then
                raise insufficient_privilege using message = format(
                    '%1$I may not take the role citegrid_app; run "grant citegrid_app to %1$I" as'
                    ' a superuser, then migrate again', current_user);
        end;
    end if;
end $$;

grant usage on schema public to citegrid_app;
alter default privileges grant select, insert, update, delete on tables to citegrid_app;
alter default privileges grant usage on sequences to citegrid_app;
