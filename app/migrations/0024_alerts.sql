-- An address that alerts of an account go to by e-mail: nothing but one request to confirm is sent
-- before it is confirmed. Of the token in that request only the hash is kept, until it is used.
create table alert_addresses (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    email text not null,
    asked_at timestamptz not null default now(),  -- when the last request was promised
    token_hash bytea unique,
    -- In the clear: all it does is refuse, and it must outlive SECRET_KEY in old mails.
    stop_token text not null unique,
    confirmed_at timestamptz,
    refused_at timestamptz,
    unique (account_id, email)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index alert_addresses_email on alert_addresses (lower(email), asked_at);
create index alert_addresses_asked on alert_addresses (asked_at);

create table alerts (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    about text not null check (about in ('monitor', 'campaign', 'queue')),
    about_id uuid,
    queue text,
    condition text not null,
    threshold double precision,
    address_id uuid references alert_addresses (id) on delete cascade,
    webhook_id uuid references webhooks (id) on delete cascade,
    stop_token text not null unique,
    raised boolean not null default false,  -- told, and not below the threshold since
    untold int not null default 0,          -- changes since the last message
    told_at timestamptz,
    stopped_at timestamptz,
    created_at timestamptz not null default now(),
    check (num_nonnulls(about_id, queue) = 1),
    check (num_nonnulls(address_id, webhook_id) = 1)
);
create index alerts_account on alerts (account_id, id);
create index alerts_about on alerts (about_id) where about_id is not null;
create index alerts_queue on alerts (queue) where queue is not null;
create index alerts_address on alerts (address_id) where address_id is not null;
create index alerts_webhook on alerts (webhook_id) where webhook_id is not null;

-- Mails of alerts, and requests to confirm an address: those without an alert.
create table alert_mails (
    id uuid primary key,                    -- of its job
    address_id uuid not null references alert_addresses (id) on delete cascade,
    alert_id uuid references alerts (id) on delete cascade,
    subject text not null,
    body text not null,                     -- without its links
    status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed')),
    error text,
    created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index alert_mails_address on alert_mails (address_id);
create index alert_mails_alert on alert_mails (alert_id) where alert_id is not null;
create index alert_mails_created on alert_mails (created_at);
