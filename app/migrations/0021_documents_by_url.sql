-- Documents that are fetched from an address instead of being uploaded. Until then their media type
-- and hash are empty.
alter table documents add column url text;
