-- What reads a paid search is derived from SECRET_KEY. Before a former one is dropped, digests of what it
-- derived are kept here.
alter table payments add column former_tokens bytea[] not null default '{}';
