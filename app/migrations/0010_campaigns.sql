-- Campaigns: records that are paid for one by one, as they are accepted; the votes that decide it, and
-- what work on them earned.

-- A version of a record that is judged: the votes on it are counted here, and what they decided.
create table reviews (
    record_id uuid not null,
    version int not null,
    payer_id uuid not null,                 -- who funds the record; never votes on it
    contributor_id uuid,                    -- null: our own extraction
    k int not null check (k >= 1),
    round int not null default 0,           -- from 1 on: a dispute or an appeal
    former text check (former in ('accepted', 'rejected', 'unresolved')),   -- what is disputed
    own_check jsonb,                        -- null until our own check has looked
    doubted boolean not null default false,
    accepts int not null default 0,         -- counted votes of this round
    rejects int not null default 0,
    state text not null check (state in ('open', 'accepted', 'rejected', 'unresolved')),
    reasons jsonb not null default '[]',
    validated_by jsonb not null default '[]',
    seats uuid[] not null default '{}',     -- work offered in this round and not answered yet
    opened_at timestamptz not null default now(),
    moved_at timestamptz not null default now(),   -- the last vote, or the last seat offered
    first_vote_at timestamptz,
    deadline_at timestamptz not null,
    decided_at timestamptz,
    gold_at timestamptz,                    -- when a gold item was made of it
    primary key (record_id, version),
    check ((state = 'open') = (decided_at is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index reviews_open on reviews (opened_at) where state = 'open';
create index reviews_without_gold on reviews (decided_at)
    where gold_at is null and state in ('accepted', 'rejected');
create index reviews_decided on reviews (decided_at);

create table votes (
    record_id uuid not null,
    version int not null,
    account_id uuid not null,
    round int not null,
    node_id uuid,
    work_id uuid not null unique,
    verdict boolean not null,
    category text,
    reason text,
    evidence jsonb not null,
    counted boolean not null,               -- false: it only tests who cast it
    agreed boolean,                         -- with the decision; null while there is none
    cast_at timestamptz not null default now(),
    primary key (record_id, version, account_id),
    foreign key (record_id, version) references reviews (record_id, version) on delete cascade
);

-- Accounts as judges: what their answers have said of them.
create table reputations (
    account_id uuid primary key references accounts (id) on delete cascade,
    right_answers int not null default 0,
    wrong_answers int not null default 0,
    gold_answers int not null default 0,
    wald real not null default 0,
    suspended_at timestamptz,
    reason text,
    -- What an account is shown of its answers is up to a day old: who saw it change with an answer
    -- would know that this one was gold, and how it was judged.
    shown_right int not null default 0,
    shown_wrong int not null default 0,
    shown_at timestamptz not null default now()
) with (fillfactor = 80);

-- Records whose verdict is known: who is asked for it does not know that he is tested.
create table gold_items (
    id uuid primary key,
    made_from uuid not null,
    version int not null,
    record jsonb not null,                  -- data and provenance, one value of it exchanged or none
    truth boolean not null,
    uses int not null default 0,
    made_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index gold_items_usable on gold_items (uses) where uses < 20;
create index gold_items_made on gold_items (made_at);

create table gold_answers (
    made_from uuid not null,                -- of what was made from one record an account sees one
    account_id uuid not null,
    item_id uuid not null references gold_items (id) on delete cascade,
    work_id uuid not null unique,
    verdict boolean,                        -- null until it was answered
    served_at timestamptz not null default now(),
    primary key (made_from, account_id)
);
create index gold_answers_item on gold_answers (item_id);

-- An accepted version of a record, and what it is worth.
create table reward_awards (
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

-- What an account has earned, and why. The money is in the ledger.
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

-- Money that leaves, once an operator has made the transfer.
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

create table campaigns (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    body json not null,                             -- the request, its members in their order
    token text not null,
    reward numeric(38, 9) not null check (reward > 0),   -- of one record, fixed at creation
    records_target int not null check (records_target > 0),
    k int not null check (k > 0),                   -- the lead of votes that decides a record
    freshness_seconds int not null check (freshness_seconds > 0),
    cadence_seconds int not null check (cadence_seconds > 0),
    starts_at timestamptz,
    ends_at timestamptz,
    state text not null check (state in
        ('awaiting_funds', 'active', 'paused', 'completed', 'exhausted', 'ended', 'cancelled')),
    funded numeric(38, 9) not null default 0,       -- all that ever came in
    refunded numeric(38, 9) not null default 0,
    schedule_id uuid,
    created_at timestamptz not null default now(),
    ended_at timestamptz
);
create index campaigns_account on campaigns (account_id, id);
create index campaigns_ending on campaigns (ends_at) where ended_at is null;

create table campaign_runs (
    id uuid primary key,                            -- of the job that plans it
    campaign_id uuid not null references campaigns (id) on delete cascade,
    tick timestamptz not null,
    state text not null check (state in
        ('planned', 'collecting', 'reviewing', 'closing', 'closed', 'skipped')),
    hold_id uuid,
    reserved numeric(38, 9) not null default 0,
    spent numeric(38, 9) not null default 0,
    records_most int not null default 0,            -- new records that what it reserved can pay
    records_taken int not null default 0,
    open_pages int not null default 0 check (open_pages >= 0),
    open_records int not null default 0 check (open_records >= 0),
    report jsonb not null default '{}',
    deadline_at timestamptz not null,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    unique (campaign_id, tick)
);
create unique index campaign_runs_open on campaign_runs (campaign_id)
    where state not in ('closed', 'skipped');
create index campaign_runs_of on campaign_runs (campaign_id, id);
create index campaign_runs_deadline on campaign_runs (deadline_at)
    where state not in ('closed', 'skipped');

create table campaign_records (
    id uuid primary key,
    campaign_id uuid not null references campaigns (id) on delete cascade,
    run_id uuid not null,                           -- that found it
    url text not null,
    key bytea not null,
    grams bigint[] not null,
    marks jsonb not null,
    version int not null default 1,                 -- the one that is shown
    state text not null check (state in ('candidate', 'accepted', 'rejected', 'unresolved')),
    duplicate_of uuid,
    verified_at timestamptz,
    fresh_until timestamptz,
    due_at timestamptz,
    created_at timestamptz not null default now()
);
create unique index campaign_records_key on campaign_records (campaign_id, key)
    where state in ('candidate', 'accepted');
create index campaign_records_grams on campaign_records using gin (grams)
    where state in ('candidate', 'accepted');
create index campaign_records_due on campaign_records (campaign_id, due_at) where state = 'accepted';
create index campaign_records_of on campaign_records (campaign_id, id);

create table campaign_versions (
    record_id uuid not null references campaign_records (id) on delete cascade,
    version int not null,
    run_id uuid not null references campaign_runs (id) on delete cascade,
    data jsonb not null,
    provenance jsonb not null,
    snapshot_id uuid references snapshots (id),
    validators jsonb not null default '{}',         -- with which its page is asked for again
    contributor_id uuid,                            -- null: the built-in extraction
    state text not null check (state in ('candidate', 'accepted', 'rejected', 'unresolved')),
    reasons jsonb not null default '[]',
    validated_by jsonb not null default '[]',
    independent_votes int not null default 0,
    decided_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (record_id, version)
);
create index campaign_versions_run on campaign_versions (run_id, state);
create index campaign_versions_snapshot on campaign_versions (snapshot_id);

create table campaign_pages (
    id uuid primary key,
    run_id uuid not null references campaign_runs (id) on delete cascade,
    campaign_id uuid not null,
    url text not null,
    kinds text[] not null,                          -- of the sources that led to it
    due_ids uuid[] not null default '{}',           -- the records that are due, of a page read again
    state text not null check (state in ('queued', 'offered', 'done')),
    work_id uuid,                                   -- of the node's extraction
    outcome text,
    built_in boolean not null default true,
    snapshot_id uuid references snapshots (id),
    reading jsonb,                                  -- of the built-in extraction, until it is done
    records int not null default 0,
    left_over int not null default 0,               -- records for which the run had no room
    read_at timestamptz,
    unique (run_id, url)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index campaign_pages_known on campaign_pages (campaign_id, url);
create index campaign_pages_of on campaign_pages (campaign_id, id);
create index campaign_pages_read on campaign_pages (read_at) where state = 'done';
create index campaign_pages_snapshot on campaign_pages (snapshot_id);

-- A decision was wrong, says who pays for the record (a dispute) or who found it (an appeal).
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
