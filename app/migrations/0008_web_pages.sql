-- Pages of the web that searches have read: public copies, found again only by their address. They
-- are in no index: what one account had read is a candidate of another's search only if an engine
-- returns the same address to it.
create table web_pages (
    url text primary key,                   -- as asked for; after a redirect the snapshot has another
    snapshot_id uuid not null references snapshots (id),
    passages jsonb not null,                -- [[start, end, [heading, ...]], ...] of the snapshot's text
    etag text,
    last_modified text,
    checked_at timestamptz not null         -- when the site last said that this is the page
);
create index web_pages_snapshot on web_pages (snapshot_id);
create index web_pages_checked on web_pages (checked_at);
