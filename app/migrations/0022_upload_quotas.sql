-- Of what an account holds, also its passages; and its uploads in the hour since the first one.
alter table own_corpora add column passages int not null default 0;
create table upload_hours (
    account_id uuid primary key,
    began_at timestamptz not null default now(),
    uploads int not null
);
