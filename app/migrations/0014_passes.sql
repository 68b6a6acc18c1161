-- A pass over a corpus takes as many jobs as it needs; until it is complete the corpus remembers it.
alter table corpora add column pass_id uuid;    -- what pages.seen_in names meanwhile

-- How often the pass asked for this address; 0 when another address led to it.
alter table pages add column tries smallint not null default 1;
