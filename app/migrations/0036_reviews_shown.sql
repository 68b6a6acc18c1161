-- What an account is shown of its answers is up to a day old: who saw it change with an answer
-- would know that this one was gold, and how it was judged.
alter table reputations
    add column shown_right int not null default 0,
    add column shown_wrong int not null default 0,
    add column shown_at timestamptz not null default now();
