-- Nodes: programs of other people that ask for work and do it. They call us; nothing calls them.
create table nodes (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    name text not null,
    work text[] not null,                   -- capabilities: extraction, validation, chat
    options jsonb not null,                 -- languages, models
    max_bytes int not null,                 -- of an input
    capacity int not null check (capacity >= 1),
    maintenance boolean not null default false,
    admitted_at timestamptz,                -- null: waits for the operator
    -- Why it gets no work for a while; without `paused_until` until the operator resumes it.
    paused_until timestamptz,
    paused_reason text,
    pauses int not null default 0,          -- in a row; each is twice as long as the one before
    unpaused_at timestamptz,                -- its owner may end a pause once a day
    counted_since timestamptz not null default now(),  -- what was before has led to a pause
    declining_until timestamptz,            -- it declines too much: the draw passes it over
    token_digest bytea not null unique,
    former_digest bytea unique,
    former_until timestamptz,
    seen_at timestamptz,
    network text,                           -- it was last heard from: /24 or /48, public ones only
    created_at timestamptz not null default now()
) with (fillfactor = 70);                   -- being heard of rewrites its row in place
create index nodes_account on nodes (account_id, id);

-- Accounts whose nodes get no work, whatever they call themselves.
create table node_suspensions (
    account_id uuid primary key references accounts (id) on delete cascade,
    reason text not null,
    suspended_at timestamptz not null default now()
);

-- What a job of a remote kind cannot say: who may not do it, and who has it. Its state, fence,
-- lease and deadline are its job's.
create table work (
    id uuid primary key references jobs (id) on delete cascade,
    kind text not null,
    subject uuid not null,
    record_id uuid,
    version int,
    slots int not null,                     -- seats of the record, which widen the draw
    excluded uuid[] not null default '{}',  -- accounts: contributor, voters, decliners
    loser uuid,                             -- the account whose node fell silent with it last
    lost_at timestamptz,
    meant_for uuid,                         -- the only node that may do it
    language text,
    input_bytes int,
    gold boolean not null default false,
    unfinished boolean not null default true,
    account_id uuid,                        -- who has it, or had it at its end
    node_id uuid,
    network text
);
create unique index work_seat on work (record_id, version, account_id) where account_id is not null;
create index work_record on work (record_id) where record_id is not null;
create index work_subject on work (subject);
create index work_meant_for on work (meant_for, id) where meant_for is not null and unfinished;

-- Who had an item when, and what became of that: one row a claim.
create table work_turns (
    work_id uuid not null references work (id) on delete cascade,
    fence int not null,
    node_id uuid not null,
    account_id uuid not null,
    claim_key text not null,
    claimed_at timestamptz not null default now(),
    ended_at timestamptz,
    -- 'failed': lost or declined by this node, and done by another later.
    outcome text check (outcome in ('done', 'declined', 'lost', 'failed', 'released', 'withdrawn')),
    reason text,
    output_digest bytea,
    answer jsonb,
    primary key (work_id, fence)
);
create index work_turns_held on work_turns (node_id) where ended_at is null;
create index work_turns_node on work_turns (node_id, work_id);

-- Where an account stands for a record, from 0 to 1: seats are drawn by it, not taken by who asks
-- most often. `salt` is the installation's secret. app/engine/judging/lot.py computes the same.
create function work_lot(record uuid, account uuid, salt text) returns double precision
    language sql immutable parallel safe as $$
    select ('x' || left(md5(record::text || account::text || salt), 8))::bit(32)::bigint
           / 4294967296.0::double precision
    $$;

-- When dispatchers last swept. After a gap leases of nodes are prolonged: the failure was ours.
create table sweeps (
    one boolean primary key default true check (one),
    swept_at timestamptz not null default now()
);
insert into sweeps default values;

-- An offer of a node that is gone is shown to nobody; its prices stay for the chats that quote them.
alter table provider_offers
    add column max_context int check (max_context >= 1),
    add column deleted_at timestamptz check (deleted_at is null or not listed);
