-- What accounts say of their documents, which searches can be narrowed by.
alter table documents add column metadata jsonb not null default '{}';
