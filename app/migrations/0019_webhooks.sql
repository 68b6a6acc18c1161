-- Addresses that are told what happens, the events, and who was told when.

create table webhooks (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    job_id uuid,                            -- hears of this job only, and goes with it
    url text not null,
    events text[] not null,
    -- Encrypted: they sign. The former one signs as well until then.
    secret bytea not null,
    former_secret bytea,
    former_until timestamptz,
    enabled boolean not null default true,
    disabled_at timestamptz,
    disabled_reason text,
    failing_since timestamptz,              -- the first failed attempt after the last success
    failed_attempts int not null default 0, -- since then
    timeouts int not null default 0,        -- in a row
    paused_until timestamptz,
    created_at timestamptz not null default now()
);
create index webhooks_account on webhooks (account_id, id);
create index webhooks_job on webhooks (job_id) where job_id is not null;

create table webhook_events (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    type text not null,
    subject uuid not null,
    version bigint not null,                -- grows with each event of a subject
    body bytea not null,                    -- as it is signed and sent, each time
    occurred_at timestamptz not null default now()
);
create index webhook_events_subject on webhook_events (subject, version);
create index webhook_events_occurred on webhook_events (occurred_at);

create table webhook_deliveries (
    id uuid primary key,                    -- of its job
    webhook_id uuid not null references webhooks (id) on delete cascade,
    event_id uuid not null references webhook_events (id) on delete cascade,
    redelivery_of uuid,
    status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
    error text,                             -- why it failed, where no attempt says so
    sending int,                            -- the attempt of its job that is at it
    created_at timestamptz not null default now()
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id) where status = 'waiting';

create table webhook_attempts (
    delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
    n int not null,
    at timestamptz not null default now(),
    status int,                             -- of HTTP
    error text,
    milliseconds int not null,
    answer text,                            -- its beginning
    primary key (delivery_id, n)
);
