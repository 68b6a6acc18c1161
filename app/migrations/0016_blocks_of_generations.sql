-- outside a transaction
create index concurrently if not exists lexical_blocks_generation on lexical_blocks (generation, term)
