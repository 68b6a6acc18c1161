-- outside a transaction
create index concurrently if not exists accounts_leaving on accounts (erase_at)
    where erase_at is not null
