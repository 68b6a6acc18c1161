-- Sign-ins of browsers, links that sign in once, the operator's role, and what a person prefers.

alter table tokens drop constraint tokens_kind_check;
alter table tokens add constraint tokens_kind_check
    check (kind in ('access', 'refresh', 'session', 'link'));

alter table token_families add column browser text not null default '';
alter table token_families add column network text not null default '';
alter table token_families add column last_used_at timestamptz;

alter table accounts add column operator boolean not null default false;

create table preferences (
    account_id uuid primary key references accounts (id) on delete cascade,
    zone text not null default 'relative',
    theme text not null default 'system' check (theme in ('system', 'light', 'dark')),
    shortcuts boolean not null default true,
    page_size int not null default 50 check (page_size between 10 and 200)
);
