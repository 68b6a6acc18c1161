-- Chats that were accepted, each at the price that it was accepted at; and how offers do.

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
);
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
) with (fillfactor = 70);
create index offer_minutes_age on offer_minutes (minute);
