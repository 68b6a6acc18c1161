-- Who offers computers that serve models: a profile an account, its devices, their saved offers.

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
