-- What accounts upload to be searched: their corpora and the documents in them. The text and the
-- passages of a document stand beside those of pages; no index but that of its account has them.

create table own_corpora (
    id uuid primary key,
    account_id uuid not null,
    name text not null,
    documents int not null default 0,
    bytes bigint not null default 0,        -- of its documents, as they were uploaded
    created_at timestamptz not null default now(),
    deleted_at timestamptz                  -- nobody sees it any more; its documents are being deleted
);
create unique index own_corpora_name on own_corpora (account_id, name) where deleted_at is null;
create index own_corpora_account on own_corpora (account_id, id);

create table documents (
    id uuid primary key,
    account_id uuid not null,
    corpus_id uuid not null references own_corpora (id),
    key text not null,
    media_type text not null,
    charset text,
    bytes int not null,
    content_hash text not null,             -- sha256:<hex> of what was uploaded
    body bytea,                             -- until it is read
    version int not null default 1,         -- how often it was uploaded with other content
    state text not null default 'waiting' check (state in ('waiting', 'ready', 'failed')),
    reason text,                            -- why it failed
    snapshot_id uuid references snapshots (id),  -- what searches find of it, also while a newer version waits
    passages int not null default 0,
    uploaded_at timestamptz not null default now(),
    read_at timestamptz,
    unique (corpus_id, key)
);
alter table documents alter column body set storage external;
create index documents_listed on documents (corpus_id, id);
create index documents_waiting on documents (corpus_id) where state = 'waiting';
create index documents_account on documents (account_id, id);
create index documents_snapshot on documents (snapshot_id);

-- Null: of what the operator indexed.
alter table passages add column account_id uuid;
