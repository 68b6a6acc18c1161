-- Payments that chains settle, each for one pending job.

-- Written before any money can move: the row is the lock on the payment and the record of a crash.
create table payments (
    id uuid primary key,                    -- also of the job that settles it: its lease is the lease
    job_id uuid not null unique,            -- what was paid for
    network text not null,                  -- eip155:<chain id>
    asset text not null,                    -- addresses and nonces in lower case
    payer text not null,
    nonce text not null,
    pay_to text not null,
    amount numeric(78, 0) not null,         -- atomic units of the asset
    valid_before timestamptz not null,
    from_block bigint not null,             -- nothing about it can be on the chain before
    identifier_digest bytea,                -- of the payer's secret identifier, when one was sent
    payload_digest bytea not null,
    request_digest bytea not null,
    offer jsonb,                            -- the payload and its requirement; null once decided
    state text not null default 'settling' check (state in ('settling', 'settled', 'failed')),
    exposed boolean not null default false, -- somebody may hold a transaction for it
    broadcasts text[] not null default '{}',
    transaction text,
    log_index int,
    reason text,                            -- why it failed, as the payer is told
    reruns int not null default 0,
    created_at timestamptz not null default now(),
    decided_at timestamptz,
    -- How long its job has once it is paid: each thing that is sold says it for itself.
    deadline_seconds double precision not null default 120,
    -- What reads a paid search is derived from SECRET_KEY. Before a former one is dropped, digests of
    -- what it derived are kept here.
    former_tokens bytea[] not null default '{}',
    unique (network, asset, payer, nonce),
    unique (payer, identifier_digest),
    unique (network, transaction, log_index),
    check ((state = 'settled') = (transaction is not null and log_index is not null)),
    check ((state = 'settling') = (decided_at is null))
);
create index payments_settling on payments (created_at) where state = 'settling';

-- Nonces with which somebody has signed in: each is good once.
create table sign_in_nonces (
    nonce text primary key,
    expires_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.02);
create index sign_in_nonces_expiry on sign_in_nonces (expires_at);
