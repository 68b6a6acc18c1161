-- Who offers computers that serve models, and at which price; nodes, which ask for work; chats.

create table provider_profiles (
    account_id uuid primary key references accounts (id) on delete cascade,
    display_name text not null,
    handle text not null unique check (handle ~ '^[a-z0-9][a-z0-9-]{2,39}$'),
    description text not null,
    website text,
    published boolean not null,
    -- As it was uploaded, for its owner only; and the copy without metadata that others see.
    avatar bytea,
    avatar_media_type text,
    public_avatar bytea,
    check (num_nulls(avatar, avatar_media_type, public_avatar) in (0, 3))
);
-- Images do not compress again.
alter table provider_profiles alter column avatar set storage external;
alter table provider_profiles alter column public_avatar set storage external;

-- What a device last said of itself. Availability is computed from it by whoever reads.
create table provider_devices (
    account_id uuid not null references accounts (id) on delete cascade,
    device_id text not null,
    in_flight int not null default 0 check (in_flight >= 0),
    capacity int not null default 1 check (capacity >= 1),
    seen_at timestamptz,
    primary key (account_id, device_id)
) with (fillfactor = 70);  -- a heartbeat rewrites its row in place

create table provider_offers (
    id uuid primary key,
    account_id uuid not null,
    device_id text not null,
    model text not null,
    model_revision text not null,
    pricing_revision int not null,
    -- Those of that revision, held to it by a foreign key: a page need not look up 200 prices.
    input_rate numeric(18, 9) not null,
    output_rate numeric(18, 9) not null,
    public_name text not null,
    published boolean not null default false,
    -- published, and the profile of the account as well: what is public is one index range.
    listed boolean not null default false check (published or not listed),
    serving boolean not null default false,
    auto_eligible boolean not null default false,
    max_context int check (max_context >= 1),
    -- An offer of a node that is gone is shown to nobody; its prices stay for the chats that quote them.
    deleted_at timestamptz check (deleted_at is null or not listed),
    -- How the model's numbers are stored, such as fp8; null: its provider does not say.
    precision text check (length(precision) between 1 and 20),
    unique (account_id, device_id, model),
    foreign key (account_id, device_id) references provider_devices on delete cascade
);
create index provider_offers_account on provider_offers (account_id, id);
create index provider_offers_listed on provider_offers (account_id, id) where listed;
create index provider_offers_model on provider_offers (model, id) where listed;

-- A price is never edited: another rate is the next revision.
create table provider_offer_prices (
    offer_id uuid not null references provider_offers (id) on delete cascade,
    revision int not null check (revision >= 1),
    input_rate numeric(18, 9) not null check (input_rate >= 0 and input_rate < 1e9),
    output_rate numeric(18, 9) not null check (output_rate >= 0 and output_rate < 1e9),
    created_at timestamptz not null default now(),
    primary key (offer_id, revision),
    unique (offer_id, revision, input_rate, output_rate)
);
-- Deferred, because an offer and its first price are made together.
alter table provider_offers add constraint provider_offers_price
    foreign key (id, pricing_revision, input_rate, output_rate)
    references provider_offer_prices (offer_id, revision, input_rate, output_rate)
    deferrable initially deferred;

create function provider_offer_prices_stay() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and not exists (select from provider_offers where id = old.offer_id) then
        return old;  -- the offer itself is gone, and its prices with it
    end if;
    raise exception 'a price is never changed; add the next revision' using errcode = '23001';
end $$;
create trigger provider_offer_prices_stay before update or delete on provider_offer_prices
    for each row execute function provider_offer_prices_stay();
create trigger provider_offer_prices_stay_all before truncate on provider_offer_prices
    execute function provider_offer_prices_stay();

-- Revisions of models that this service knows; an offer of another one needs review.
create table editions (
    model text not null,
    revision text not null,
    enabled_at timestamptz not null default now(),
    primary key (model, revision)
);

-- Programs of other people that ask for work and do it. They call us; nothing calls them.
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
) with (autovacuum_vacuum_scale_factor = 0.02);  -- looked for by state among rows that change it, as jobs
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
-- A key names one claim: a poll that was given up must not get other work when the first is done.
create index work_turns_key on work_turns (node_id, claim_key);

-- Where an account stands for a record, from 0 to 1: seats are drawn by it, not taken by who asks
-- most often. `salt` is the installation's secret. app/engine/judging/lot.py computes the same.
create function work_lot(record uuid, account uuid, salt text) returns double precision
    language sql immutable parallel safe as $$
    select ('x' || left(md5(record::text || account::text || salt), 8))::bit(32)::bigint
           / 4294967296.0::double precision
    $$;

-- Chats that were accepted, each at the price that it was accepted at.
create table chats (
    id uuid primary key,  -- of its job and of its hold
    account_id uuid not null,
    provider_id uuid not null,
    offer_id uuid not null,
    pricing_revision int not null,
    input_rate numeric(18, 9) not null,
    output_rate numeric(18, 9) not null,
    max_cost numeric(38, 9) not null check (max_cost >= 0),
    prompt_tokens int check (prompt_tokens >= 0),
    completion_tokens int check (completion_tokens >= 0),
    cost numeric(38, 9) check (cost >= 0 and cost <= max_cost),
    fee numeric(38, 9) check (fee >= 0 and fee <= cost),
    first_token_ms int,
    ended text,
    created_at timestamptz not null default now(),
    -- The quote is one that the offer had; and an offer that was used keeps its prices.
    foreign key (offer_id, pricing_revision, input_rate, output_rate)
        references provider_offer_prices (offer_id, revision, input_rate, output_rate)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index chats_open on chats (offer_id) where ended is null;
create index chats_age on chats (created_at);
create index chats_account on chats (account_id, id);

-- What was measured of an offer in a minute. The arrays count times and speeds in buckets.
create table offer_minutes (
    offer_id uuid not null references provider_offers (id) on delete cascade,
    minute timestamptz not null,
    requests int not null,
    failed int not null,
    aborted int not null,
    first_token_ms int[] not null check (cardinality(first_token_ms) = 20),
    tokens_per_second int[] not null check (cardinality(tokens_per_second) = 20),
    tokens bigint not null,
    primary key (offer_id, minute)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index offer_minutes_age on offer_minutes (minute);

-- Minutes are kept for two days only; this is day by day (UTC), for a month.
create table offer_days (
    offer_id uuid not null references provider_offers (id) on delete cascade,
    day date not null,
    requests int not null,
    failed int not null,
    aborted int not null,
    first_token_ms int[] not null check (cardinality(first_token_ms) = 20),
    tokens_per_second int[] not null check (cardinality(tokens_per_second) = 20),
    tokens bigint not null,
    primary key (offer_id, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index offer_days_age on offer_days (day);
