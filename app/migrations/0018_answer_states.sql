-- The state of the answer, for lists, which do not read answers; null in what was completed before.
alter table searches add column answer_state text;
