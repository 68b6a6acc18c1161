-- The first release that can work with the schema once this file is applied; null: the one before
-- it can, too. A process that is older than that refuses to start.
alter table schema_migrations add column needs text;
