-- Documents that are fetched from an address instead of being uploaded; until then, of what kind
-- they are is not known.
alter table documents add column url text;
alter table documents alter column media_type drop not null;
alter table documents alter column content_hash drop not null;
