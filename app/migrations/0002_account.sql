-- Accounts, what proves who calls, and who did what.

-- Here and in all files: where rows go in the order in which they came, a thousand at a time, a
-- vacuum comes once a fiftieth of the rows is dead, and not a fifth. Whoever looks for the next
-- thousand walks past the entries of those that went before, until a vacuum has removed them.

create table accounts (
    id uuid primary key,
    email text not null,
    password_hash text not null,
    created_at timestamptz not null default now(),
    disabled_at timestamptz,
    operator boolean not null default false,
    -- While `erase_at` lies ahead, signing in keeps the account. What was erased stays as a row
    -- without a name: what others own still refers to it, and after a restored backup it says whom
    -- to erase again.
    deletion_requested_at timestamptz,
    erase_at timestamptz,
    erasing_at timestamptz,                 -- from then on nothing keeps it
    erased_at timestamptz
);
create unique index accounts_email on accounts (lower(email));
create index accounts_leaving on accounts (erase_at) where erase_at is not null;

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
    revoked_at timestamptz,
    browser text not null default '',
    network text not null default '',
    last_used_at timestamptz
);
create index token_families_account on token_families (account_id);

create table tokens (
    id uuid primary key,
    family_id uuid not null references token_families (id) on delete cascade,
    -- session: of a browser; link: signs a browser in, once
    kind text not null check (kind in ('access', 'refresh', 'session', 'link')),
    digest bytea not null unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.02);
create index tokens_family on tokens (family_id);
create index tokens_expiry on tokens (expires_at);

-- What former SECRET_KEYs made of credentials is still recognised: the key of each digest is kept,
-- sealed under the newest SECRET_KEY.
create table peppers (
    id text primary key,
    sealed bytea not null,
    kept_at timestamptz not null default now(),
    moved_at timestamptz                    -- since when nothing that is stored needs that SECRET_KEY
);

-- How a person likes the pages.
create table preferences (
    account_id uuid primary key references accounts (id) on delete cascade,
    zone text not null default 'relative',
    theme text not null default 'system' check (theme in ('system', 'light', 'dark')),
    shortcuts boolean not null default true,
    page_size int not null default 50 check (page_size between 10 and 200)
);

-- What was answered to an Idempotency-Key of a caller, sealed.
create table idempotency_keys (
    owner text not null,
    key text not null,
    fingerprint bytea not null,
    reply bytea not null,
    created_at timestamptz not null default now(),
    primary key (owner, key)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Who did what, when, in whose account. Only added to: no role of the service may change a row, and
-- what is past its time goes through `audit_forget`. Nothing is referred to by a foreign key, since
-- an event outlives what it is about.
create table audit_events (
    id uuid primary key,
    at timestamptz not null default now(),
    account_id uuid,                        -- in whose account; null: in none, it is about the service
    actor text not null
        check (actor in ('session', 'key', 'node', 'operator', 'cli', 'system', 'anonymous')),
    actor_id uuid,                          -- the account that acted
    by_whom text,                           -- who typed a command
    credential_id uuid,                     -- the API key, or the sign-in
    action text not null,                   -- noun.verb
    object text,                            -- the id or the name of what it was done to
    facts jsonb not null default '{}',      -- names, ids and numbers
    address text,
    request_id uuid
) with (autovacuum_vacuum_scale_factor = 0.02);
create index audit_events_of_account on audit_events (account_id, id) where account_id is not null;
create index audit_events_of_operators on audit_events (id) where actor in ('operator', 'cli');
create index audit_events_age on audit_events (at);

create function audit_forget(kept_days double precision, most int) returns int
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with gone as (
        delete from audit_events where id in (
            select id from audit_events
            where at < now() - make_interval(secs => greatest(kept_days, 30) * 86400)
            order by at limit most for update skip locked
        ) returning 1
    )
    select count(*)::int from gone
$$;

-- What happened in an account stays when it is erased, without what would name a person.
create function audit_make_nameless(erased uuid) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update audit_events
    set address = null, facts = '{}', object = replace(object, account.email, 'erased'),
        by_whom = case when by_whom is not null and by_whom <> account.email then by_whom end
    from accounts account
    where account.id = erased and account.erasing_at is not null
      and (audit_events.account_id = erased or actor_id = erased or by_whom = account.email
           or strpos(object, account.email) > 0)
$$;
