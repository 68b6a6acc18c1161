-- What is indexed: sites, sitemaps and folders an operator named, and the pages found there.
create table corpora (
    id uuid primary key,
    name text not null unique,
    kind text not null check (kind in ('site', 'sitemap', 'folder')),
    location text not null,
    options jsonb not null default '{}',
    schedule_id uuid,
    refresh_job_id uuid,                    -- the refresh that was asked for or began last
    created_at timestamptz not null default now(),
    refreshed_at timestamptz
);

create table pages (
    id uuid primary key,
    corpus_id uuid not null references corpora (id) on delete cascade,
    url text not null,
    snapshot_id uuid references snapshots (id),  -- set exactly while the page is in the index
    content_hash text,
    etag text,
    last_modified text,
    outcome text not null,                  -- indexed, unchanged, duplicate or why it could not be read
    depth int not null default 0,
    links text[] not null default '{}',     -- within the corpus: an unchanged page sends none
    passages int not null default 0,
    seen_in uuid not null,                  -- the refresh (a job) that saw the page last
    fetched_at timestamptz not null,
    unique (corpus_id, url)
);
create index pages_snapshot on pages (snapshot_id);
create index pages_seen on pages (corpus_id, seen_in);
create index pages_content on pages (corpus_id, content_hash) where snapshot_id is not null;
