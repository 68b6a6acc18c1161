create table accounts (
    id uuid primary key,
    email text not null,
    password_hash text not null,
    created_at timestamptz not null default now(),
    disabled_at timestamptz
);
create unique index accounts_email on accounts (lower(email));

create table api_keys (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    name text not null,
    prefix text not null,
    last_four text not null,
    digest bytea not null unique,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    replaced_by uuid references api_keys (id)
);
create index api_keys_account on api_keys (account_id, id);

-- A family is one sign-in: every token that came from it by refreshing. Reuse of an old refresh
-- token revokes the family.
create table token_families (
    id uuid primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
);
create index token_families_account on token_families (account_id);

create table tokens (
    id uuid primary key,
    family_id uuid not null references token_families (id) on delete cascade,
    kind text not null check (kind in ('access', 'refresh')),
    digest bytea not null unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
);
create index tokens_family on tokens (family_id);
create index tokens_expiry on tokens (expires_at);

create table idempotency_keys (
    owner text not null,
    key text not null,
    fingerprint bytea not null,
    reply bytea not null,
    created_at timestamptz not null default now(),
    primary key (owner, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
