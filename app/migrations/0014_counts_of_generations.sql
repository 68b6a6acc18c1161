-- outside a transaction
create index concurrently if not exists lexical_counts_generation on lexical_counts (generation)
