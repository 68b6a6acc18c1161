-- A quote is checked by the address of its page, whoever's page it is.
create index extraction_pages_url on extraction_pages using hash (url) where snapshot_id is not null;
