-- Pages that are looked at again some time later in the same run.
alter table extraction_pages add column not_before timestamptz;
