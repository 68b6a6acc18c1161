-- Where a run that waits goes on, which hosts need no pause, and where a page really was.
alter table extraction_runs
    add column stage text not null default 'planning',
    add column unpaced text[] not null default '{}';    -- the operator's own hosts
alter table extraction_pages
    add column final_url text,                          -- after redirects, if there were any
    add column media_type text,
    add column charset text;
create index extraction_pages_final on extraction_pages (run_id, final_url) where final_url is not null;
