-- Judging: the votes on records, what they decided, and what each answer said of who gave it.
create table reviews (
    record_id uuid not null,
    version int not null,
    payer_id uuid not null,                 -- who funds the record; never votes on it
    contributor_id uuid,                    -- null: our own extraction
    k int not null check (k >= 1),
    round int not null default 0,           -- from 1 on: a dispute or an appeal
    former text check (former in ('accepted', 'rejected', 'unresolved')),   -- what is disputed
    own_check jsonb,                        -- null until our own check has looked
    doubted boolean not null default false,
    accepts int not null default 0,         -- counted votes of this round
    rejects int not null default 0,
    state text not null check (state in ('open', 'accepted', 'rejected', 'unresolved')),
    reasons jsonb not null default '[]',
    validated_by jsonb not null default '[]',
    seats uuid[] not null default '{}',     -- work offered in this round and not answered yet
    opened_at timestamptz not null default now(),
    moved_at timestamptz not null default now(),   -- the last vote, or the last seat offered
    first_vote_at timestamptz,
    deadline_at timestamptz not null,
    decided_at timestamptz,
    gold_at timestamptz,                    -- when a gold item was made of it
    primary key (record_id, version),
    check ((state = 'open') = (decided_at is null))
) with (fillfactor = 80);
create index reviews_open on reviews (opened_at) where state = 'open';
create index reviews_without_gold on reviews (decided_at)
    where gold_at is null and state in ('accepted', 'rejected');
create index reviews_decided on reviews (decided_at);

create table votes (
    record_id uuid not null,
    version int not null,
    account_id uuid not null,
    round int not null,
    node_id uuid,
    work_id uuid not null unique,
    verdict boolean not null,
    category text,
    reason text,
    evidence jsonb not null,
    counted boolean not null,               -- false: it only tests who cast it
    agreed boolean,                         -- with the decision; null while there is none
    cast_at timestamptz not null default now(),
    primary key (record_id, version, account_id),
    foreign key (record_id, version) references reviews (record_id, version) on delete cascade
);

create table reputations (
    account_id uuid primary key references accounts (id) on delete cascade,
    right_answers int not null default 0,
    wrong_answers int not null default 0,
    gold_answers int not null default 0,
    wald real not null default 0,
    suspended_at timestamptz,
    reason text
) with (fillfactor = 80);

create table gold_items (
    id uuid primary key,
    made_from uuid not null,
    version int not null,
    record jsonb not null,                  -- data and provenance, one value of it exchanged or none
    truth boolean not null,
    uses int not null default 0,
    made_at timestamptz not null default now()
);
create index gold_items_usable on gold_items (uses) where uses < 20;
create index gold_items_made on gold_items (made_at);

create table gold_answers (
    made_from uuid not null,                -- of what was made from one record an account sees one
    account_id uuid not null,
    item_id uuid not null references gold_items (id) on delete cascade,
    work_id uuid not null unique,
    verdict boolean,                        -- null until it was answered
    served_at timestamptz not null default now(),
    primary key (made_from, account_id)
);
create index gold_answers_item on gold_answers (item_id);
