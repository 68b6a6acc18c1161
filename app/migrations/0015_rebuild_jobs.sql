-- A rebuild of the index is a job: whether somebody is at it, and who, is the job's to say. One that
-- was begun before has none, so it is dropped; compaction deletes its rows.
update lexical_generations set state = 'left' where state = 'building';
alter table lexical_generations drop column touched_at;
