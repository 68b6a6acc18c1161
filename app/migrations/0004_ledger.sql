-- Money: double entry, append-only. Nobody writes these tables but the functions below: the roles of
-- the service may execute these and read, and nothing else (`rights.toml`).

create table ledger_accounts (
    id bigint generated always as identity primary key,  -- the order in which balances are locked
    owner uuid not null,
    kind text not null check (kind in ('credit', 'escrow', 'reserved', 'pool', 'pending', 'available',
                                       'payable', 'held', 'fees', 'world')),
    token text not null check (token ~ '^[A-Z][A-Z0-9]{1,15}$'),
    balance numeric(38, 9) not null default 0 check (balance > -1e18 and balance < 1e18),  -- no NaN
    unique (owner, kind, token),
    -- What comes from outside and leaves has no other side here; everything else is never negative.
    constraint ledger_one_world
        check ((kind = 'world') = (owner = '00000000-0000-0000-0000-000000000003')),
    constraint ledger_not_negative check (kind = 'world' or balance >= 0)
) with (fillfactor = 50);  -- balances are updated in place, while there is room beside them

create table ledger_transfers (
    id uuid primary key,
    key text not null unique check (length(key) between 1 and 400),
    why text not null check (length(why) between 1 and 200),
    token text not null,
    posted_at timestamptz not null default now()
);

create table ledger_entries (
    id uuid primary key,                -- the transfer's with the line's number: in the same order
    transfer_id uuid not null references ledger_transfers,
    account_id bigint not null references ledger_accounts,
    amount numeric(38, 9) not null check (amount <> 0 and amount > -1e18 and amount < 1e18),
    unique (transfer_id, account_id)
);
create index ledger_entries_account on ledger_entries (account_id, id);

-- Money set aside for one purpose: captured in parts or at once, and what is left released once.
create table ledger_holds (
    id uuid primary key,
    held_id bigint not null references ledger_accounts,
    amount numeric(38, 9) not null check (amount > 0 and amount < 1e18),
    captured numeric(38, 9) not null default 0 check (captured >= 0),
    released numeric(38, 9) not null default 0 check (released >= 0),
    state text not null default 'open' check (state in ('open', 'closed')),
    opened_at timestamptz not null default now(),
    check (captured + released <= amount),
    check ((state = 'closed') = (captured + released = amount))
);
create index ledger_holds_open on ledger_holds (held_id) where state = 'open';

-- At commit each new transfer has two lines or more that sum to zero ...
create function ledger_transfer_balanced() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    if (select coalesce(sum(amount), 0) <> 0 or count(*) < 2
        from ledger_entries where transfer_id = new.id) then
        raise exception 'transfer % does not balance', new.id using errcode = 'check_violation';
    end if;
    return null;
end $$;
create constraint trigger balanced after insert on ledger_transfers
    deferrable initially deferred for each row execute function ledger_transfer_balanced();

-- ... and no statement adds lines to any transfer, old ones too, that do not.
create function ledger_lines_balanced() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
    if exists (select from added group by transfer_id having sum(amount) <> 0) then
        raise exception 'lines do not balance' using errcode = 'check_violation';
    end if;
    return null;
end $$;
create trigger balanced after insert on ledger_entries referencing new table as added
    for each statement execute function ledger_lines_balanced();

create function ledger_append_only() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;
create trigger append_only before update or delete or truncate on ledger_transfers
    for each statement execute function ledger_append_only();
create trigger append_only before update or delete or truncate on ledger_entries
    for each statement execute function ledger_append_only();
create trigger append_only before delete or truncate on ledger_accounts
    for each statement execute function ledger_append_only();
create trigger append_only before delete or truncate on ledger_holds
    for each statement execute function ledger_append_only();

-- One transfer with all its lines: 'posted'; 'known' when this key was posted with the same lines,
-- 'other' with other ones; 'short' when an account has too little. Only 'posted' changes anything.
-- It finds a few rows by an index, and is planned once for that: the planner cannot know how few
-- lines an array has, and what it planned while a table was empty would go on to read all of it.
create function ledger_post(
    new_id uuid, new_key text, new_why text, new_token text,
    owners uuid[], kinds text[], amounts numeric[]
) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
    accounts bigint[];
    sums numeric[];
    short boolean;
    former ledger_transfers;
begin
    if exists (select from unnest(amounts) line (amount) where coalesce(min_scale(amount) > 9, true))
    then
        raise exception 'an amount has at most 9 decimals'
            using errcode = 'numeric_value_out_of_range';
    end if;

    if exists (select from unnest(owners, kinds) line (owner, kind)
               where (select id from ledger_accounts account
                      where (account.owner, account.kind, account.token)
                          = (line.owner, line.kind, new_token)) is null) then
        insert into ledger_accounts (owner, kind, token)
        select distinct line.owner, line.kind, new_token
        from unnest(owners, kinds) line (owner, kind)
        order by line.owner, line.kind  -- two that add the same accounts do so in one order
        on conflict do nothing;
    end if;

    select array_agg(locked.id order by locked.id), array_agg(locked.amount order by locked.id),
           bool_or(locked.kind <> 'world' and locked.balance + locked.amount < 0)
    into accounts, sums, short
    from (
        select account.id, account.kind, account.balance, net.amount
        from (select line.owner, line.kind, sum(line.amount) as amount
              from unnest(owners, kinds, amounts) line (owner, kind, amount)
              group by line.owner, line.kind having sum(line.amount) <> 0) net
        join ledger_accounts account
          on (account.owner, account.kind, account.token) = (net.owner, net.kind, new_token)
        order by account.id for no key update of account
    ) locked;
    if accounts is null then
        raise exception 'nothing to move' using errcode = 'invalid_parameter_value';
    end if;

    select * into former from ledger_transfers where key = new_key;  -- a copy has let go of the rows
    if found then
        return case when former.token = new_token and (accounts, sums) = (
            select array_agg(account_id order by account_id), array_agg(amount order by account_id)
            from ledger_entries where transfer_id = former.id) then 'known' else 'other' end;
    end if;
    if short then
        return 'short';
    end if;

    with transfer as (
        insert into ledger_transfers (id, key, why, token)
        values (new_id, new_key, new_why, new_token) on conflict (key) do nothing returning id
    ), entries as (
        insert into ledger_entries (id, transfer_id, account_id, amount)
        select (left(transfer.id::text, 32) || lpad(to_hex(line.n), 4, '0'))::uuid, transfer.id,
               line.account, line.amount
        from transfer, unnest(accounts, sums) with ordinality line (account, amount, n)
    )
    update ledger_accounts set balance = balance + line.amount
    from transfer, unnest(accounts, sums) line (account, amount)
    where ledger_accounts.id = line.account;
    return case when found then 'posted' else 'other' end;  -- meanwhile, between other accounts
end $$;

-- Sets money aside: as `ledger_post`, from one account to another, with the hold.
create function ledger_hold(
    new_id uuid, new_key text, new_why text, new_token text, hold uuid,
    source_owner uuid, source_kind text, held_owner uuid, held_kind text, held numeric
) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    outcome text := ledger_post(
        new_id, new_key, new_why, new_token,
        array[source_owner, held_owner], array[source_kind, held_kind], array[-held, held]);
begin
    if outcome = 'posted' then
        insert into ledger_holds (id, held_id, amount)
        select hold, id, held from ledger_accounts
        where (owner, kind, token) = (held_owner, held_kind, new_token);
    end if;
    return outcome;
end $$;

-- Takes a part of a hold; at 0 it closes. 'posted', 'known', 'other'; 'short' when it is closed or
-- has too little left, 'missing'.
create function ledger_capture(
    new_id uuid, new_key text, new_why text, hold uuid,
    owners uuid[], kinds text[], amounts numeric[]
) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    taken numeric := ledger_sum(amounts);
    outcome text;
    source ledger_accounts;
begin
    perform from ledger_holds where id = hold for no key update;
    if not found then
        return 'missing';
    end if;
    select account.* into source
    from ledger_holds join ledger_accounts account on account.id = held_id
    where ledger_holds.id = hold;
    owners := owners || source.owner;
    kinds := kinds || source.kind;
    amounts := amounts || -taken;
    if exists (select from ledger_transfers where key = new_key) then
        return ledger_post(new_id, new_key, new_why, source.token, owners, kinds, amounts);
    end if;

    update ledger_holds
    set captured = captured + taken,
        state = case when captured + taken = amount then 'closed' else 'open' end
    where id = hold and state = 'open' and captured + taken <= amount;
    if not found then
        return 'short';
    end if;
    if taken = 0 then
        return 'posted';  -- nothing to move
    end if;
    outcome := ledger_post(new_id, new_key, new_why, source.token, owners, kinds, amounts);
    if outcome <> 'posted' then
        raise exception 'the key % was posted before for something else', new_key
            using errcode = 'unique_violation';
    end if;
    return outcome;
end $$;

-- Takes a part of a hold, or nothing, gives the rest back and closes it: one transfer. 'posted';
-- 'closed' when it was, 'short' when it has too little, 'missing'; and what was released.
create function ledger_settle(
    new_id uuid, new_key text, new_why text, hold uuid,
    owners uuid[], kinds text[], amounts numeric[], rest_owner uuid, rest_kind text,
    out outcome text, out rest numeric
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    taken numeric := ledger_sum(amounts);
    source ledger_accounts;
    closed ledger_holds;
begin
    perform from ledger_holds where id = hold for no key update;
    if not found then
        outcome := 'missing';
        return;
    end if;
    update ledger_holds
    set captured = captured + taken, released = amount - captured - taken, state = 'closed'
    where id = hold and state = 'open' and captured + taken <= amount
    returning * into closed;
    if not found then
        select * into closed from ledger_holds where id = hold;
        outcome := case closed.state when 'open' then 'short' else 'closed' end;
        rest := closed.released;
        return;
    end if;
    select * into source from ledger_accounts where id = closed.held_id;
    rest := closed.released;
    outcome := ledger_post(
        new_id, new_key, new_why, source.token, owners || array[rest_owner, source.owner],
        kinds || array[rest_kind, source.kind], amounts || array[rest, -taken - rest]);
    if outcome <> 'posted' then
        raise exception 'the key % was posted before for something else', new_key
            using errcode = 'unique_violation';
    end if;
end $$;

-- What lines of a hold take together; they only take.
create function ledger_sum(amounts numeric[]) returns numeric
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if exists (select from unnest(amounts) line (amount) where amount is null or amount < 0) then
        raise exception 'a hold is captured by positive lines'
            using errcode = 'invalid_parameter_value';
    end if;
    return coalesce((select sum(amount) from unnest(amounts) line (amount)), 0);
end $$;
