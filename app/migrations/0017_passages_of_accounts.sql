-- outside a transaction
create index concurrently if not exists passages_account on passages (account_id, id)
    where account_id is not null
