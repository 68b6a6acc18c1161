-- API keys that are limited to some of the account's corpora, and the searches that they asked.
alter table api_keys add column corpora uuid[];  -- null: not limited
alter table searches add column key_id uuid;     -- of a limited key, which sees no other searches
