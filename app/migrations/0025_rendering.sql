-- A page whose text only its scripts write waits for a browser: it is neither queued nor taken.
alter table extraction_pages drop constraint extraction_pages_state_check;
alter table extraction_pages add constraint extraction_pages_state_check
    check (state in ('queued', 'rendering', 'taken', 'done'));
create index extraction_pages_rendering on extraction_pages (run_id, n) where state = 'rendering';
