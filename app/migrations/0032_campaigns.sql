-- Campaigns: records that are paid for one by one, as they are accepted.
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
);
create index campaign_pages_known on campaign_pages (campaign_id, url);
create index campaign_pages_of on campaign_pages (campaign_id, id);
create index campaign_pages_read on campaign_pages (read_at) where state = 'done';
create index campaign_pages_snapshot on campaign_pages (snapshot_id);
