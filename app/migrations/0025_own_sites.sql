-- Sites that accounts have read into their corpora, and the addresses found on each.
create table own_sites (
    id uuid primary key,
    account_id uuid not null,
    corpus_id uuid not null references own_corpora (id),
    url text not null,
    kind text not null check (kind in ('site', 'sitemap')),
    include_paths text[] not null,
    exclude_paths text[] not null,
    max_pages int not null,
    refresh text,                            -- null: only when it is asked for
    schedule_id uuid,
    job_id uuid,                             -- that reads it, or read it last
    pass_id uuid,                            -- the first job of the pass over its pages; null between two
    reason text,                             -- why the last pass read nothing, or not all
    created_at timestamptz not null default now(),
    read_at timestamptz,                     -- when a pass was complete
    unique (corpus_id, url)
);
create index own_sites_account on own_sites (account_id, id);

create table site_pages (
    site_id uuid not null references own_sites (id) on delete cascade,
    url text not null,
    depth int not null,                      -- links from the start
    waiting boolean not null default true,   -- to be visited in this pass
    outcome text,                            -- of the last visit
    etag text,
    last_modified text,
    primary key (site_id, url)
);
create index site_pages_waiting on site_pages (site_id, depth, url) where waiting;

alter table documents add column site_id uuid;  -- whose page it is

alter table own_corpora add column embedding_seconds double precision not null default 0;  -- of CPU
