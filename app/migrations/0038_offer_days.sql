-- How offers did day by day (UTC), for a month; minutes are kept for two days only.
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
) with (fillfactor = 70);
create index offer_days_age on offer_days (day);

-- How a provider says that the model's numbers are stored, such as fp8; null: it does not say.
alter table provider_offers add column precision text check (length(precision) between 1 and 20);
