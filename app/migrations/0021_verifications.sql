-- What was sent keeps the order of its members: the columns of a table follow that of the schema.
alter table extraction_jobs alter column body type json, alter column plan type json;

-- Quotes that are checked against what is stored and what the page says now.
create table extraction_verifications (
    id uuid primary key,                    -- of its job
    account_id uuid not null,
    snapshot_id uuid references snapshots (id),
    url text not null,
    quote text not null,
    stored jsonb,
    live jsonb,
    live_error text,
    created_at timestamptz not null default now()
);
create index extraction_verifications_age on extraction_verifications (created_at);
create index extraction_verifications_snapshot on extraction_verifications (snapshot_id);
