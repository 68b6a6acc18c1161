-- outside a transaction
create index concurrently if not exists lexical_dead_generation on lexical_dead (generation)
