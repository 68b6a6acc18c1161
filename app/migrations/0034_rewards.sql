-- What was earned, by whom and why; payouts; disputes of records. The money is in the ledger.

create table reward_awards (                -- an accepted version of a record
    record_id uuid not null,
    version int not null,
    campaign_id uuid not null,
    run_id uuid not null,                   -- to whose pool its part for votes went
    token text not null,
    pool_amount numeric(38, 9) not null check (pool_amount >= 0),
    pool_shared boolean not null default false,
    returned boolean not null default false,
    awarded_at timestamptz not null default now(),
    primary key (record_id, version)
);
create index reward_awards_pool on reward_awards (run_id) where not pool_shared and not returned;

create table reward_entries (
    id uuid primary key,
    account_id uuid not null,
    token text not null,
    amount numeric(38, 9) not null check (amount > 0),
    role text not null check (role in ('contributor', 'validator', 'provider')),
    campaign_id uuid,
    run_id uuid,
    record_id uuid,
    version int,
    verdict text check (verdict in ('accept', 'reject')),
    chat_id uuid,
    why text not null,
    state text not null check (state in ('pending', 'available', 'returned')),
    frozen boolean not null default false,
    created_at timestamptz not null default now(),
    ended_at timestamptz,                   -- when it became available or returned
    check ((state = 'pending') = (ended_at is null)),
    check (state = 'pending' or not frozen)
);
create index reward_entries_account on reward_entries (account_id, id);
create index reward_entries_pending on reward_entries (account_id, token) where state = 'pending';
create index reward_entries_maturing on reward_entries (created_at, id)
    where state = 'pending' and not frozen;
-- One share an account of a version, in each role; one entry a chat.
create unique index reward_entries_share on reward_entries (record_id, version, role, account_id)
    where record_id is not null;
create unique index reward_entries_chat on reward_entries (chat_id) where chat_id is not null;

-- Nothing of these matures: a version that is disputed, an account (version 0) whose judging is in doubt.
create table reward_freezes (
    subject uuid not null,
    version int not null,
    since timestamptz not null default now(),
    primary key (subject, version)
);

create function reward_frozen(record_id uuid, version int, account_id uuid, role text)
returns boolean language sql stable as $$
    select exists (
        select from reward_freezes cause
        where (cause.subject, cause.version) = (record_id, reward_frozen.version)
           or (cause.subject, cause.version) = (account_id, 0) and role = 'validator')
$$;

create table payouts (
    id uuid primary key,
    account_id uuid not null,
    token text not null,
    amount numeric(38, 9) not null check (amount > 0),
    destination text not null,
    state text not null check (state in ('requested', 'settled', 'refused')),
    reference text,                         -- of the transfer, from whoever made it
    reason text,                            -- why it was refused
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    check ((state = 'requested') = (ended_at is null)),
    check ((state = 'settled') = (reference is not null)),
    check ((state = 'refused') = (reason is not null))
);
create unique index payouts_open on payouts (account_id, token) where state = 'requested';
create index payouts_account on payouts (account_id, id);
create index payouts_destination on payouts (destination) where state = 'settled';
create index payouts_requested on payouts (id) where state = 'requested';

create table record_disputes (
    id uuid primary key,
    kind text not null check (kind in ('dispute', 'appeal')),
    campaign_id uuid not null,
    record_id uuid not null,
    version int not null,
    account_id uuid not null,               -- who opened it
    funder_id uuid not null,
    contributor_id uuid,                    -- null: the built-in extraction
    category text,
    reason text not null,
    state text not null check (state in ('open', 'upheld', 'refused')),
    decided_by text check (decided_by in ('votes', 'operator', 'time')),
    hold_id uuid,                           -- an appeal's: the reward, set aside
    settled_at timestamptz,                 -- when what follows from the decision was done
    opened_at timestamptz not null default now(),
    decided_at timestamptz,
    check ((state = 'open') = (decided_at is null)),
    check ((state = 'open') = (decided_by is null)),
    unique (record_id, version)             -- a version is disputed once
);
create index record_disputes_open on record_disputes (opened_at) where state = 'open';
create index record_disputes_unsettled on record_disputes (decided_at)
    where state <> 'open' and settled_at is null;
create index record_disputes_account on record_disputes (account_id, id);
create index record_disputes_contributor on record_disputes (contributor_id, id)
    where contributor_id is not null;
create index record_disputes_campaign on record_disputes (campaign_id, id);
