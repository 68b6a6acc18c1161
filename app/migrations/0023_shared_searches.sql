-- The secret of the link by which others on this server read an answer; null while it is not shared.
alter table searches add column share_key text;
