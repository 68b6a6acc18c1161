-- A key names one claim: a poll that was given up must not get other work when the first is done.
create index work_turns_key on work_turns (node_id, claim_key);
