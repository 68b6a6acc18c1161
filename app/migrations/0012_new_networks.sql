-- How a network of nodes that is new begins to judge, and the test of those who contribute records.

alter table reputations
    add column vouched_at timestamptz,              -- the operator vouches for it: its votes count at once
    add column accepted_records int not null default 0,   -- of those that it contributed
    add column rejected_records int not null default 0,
    add column contributor_wald real not null default 0;

alter table reviews
    add column payer_verdict boolean,               -- what who pays says: it tests who votes, and decides nothing
    add column overlooked_by uuid;                  -- who read the page before, and found nothing on it

alter table campaign_versions
    add column owner_verdict boolean;

alter table gold_items
    add column payer_id uuid;                       -- who says so, where it is who pays for the record

-- How often an account was tested by what one payer says: so often that it cannot make anybody's name,
-- or break it.
create table payer_tests (
    account_id uuid not null references accounts (id) on delete cascade,
    payer_id uuid not null,
    answers int not null default 0,
    wrong_answers int not null default 0,
    primary key (account_id, payer_id)
);

alter table campaign_records
    add column page_id uuid;                        -- of the run that found it

alter table campaign_pages
    add column contributor_id uuid,                 -- whose node read it
    add column first_reader uuid;                   -- who read it before, and brought nothing

-- What a suspended account earned by its records is frozen as what it earned by its votes.
create or replace function reward_frozen(record_id uuid, version int, account_id uuid, role text)
returns boolean language sql stable as $$
    select exists (
        select from reward_freezes cause
        where (cause.subject, cause.version) = (record_id, reward_frozen.version)
           or (cause.subject, cause.version) = (account_id, 0)
              and role in ('validator', 'contributor'))
$$;
