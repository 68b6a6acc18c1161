-- An account may ask for everything that is its own, and to be deleted.

-- While `erase_at` lies ahead, signing in keeps the account. What was erased stays as a row without a
-- name: what others own still refers to it, and after a restored backup it says whom to erase again.
alter table accounts
    add column deletion_requested_at timestamptz,
    add column erase_at timestamptz,
    add column erasing_at timestamptz,      -- from then on nothing keeps it
    add column erased_at timestamptz;

create table account_exports (
    id uuid primary key,                    -- of its job
    account_id uuid not null unique,        -- the next one replaces it
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    bytes bigint,                           -- of the file, once it is whole
    rows_of jsonb not null default '{}'     -- how many, by the name of each file in it
);
create index account_exports_expiring on account_exports (expires_at);

-- The file in pieces, each sealed: it holds what is sealed elsewhere.
create table account_export_parts (
    export_id uuid not null references account_exports (id) on delete cascade,
    n int not null,
    sealed bytea not null,
    primary key (export_id, n)
);
alter table account_export_parts alter column sealed set storage external;
