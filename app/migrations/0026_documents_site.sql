-- outside a transaction
create index concurrently if not exists documents_site on documents (site_id, content_hash)
    where site_id is not null;
