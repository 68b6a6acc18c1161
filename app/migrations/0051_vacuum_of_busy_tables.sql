-- Rows of these tables go in the order in which they came, a thousand at a time. Whoever looks for the
-- next thousand walks past the entries of those that went before, until a vacuum has removed them: so a
-- vacuum comes once a fiftieth of the rows is dead, and not a fifth.
alter table account_exports set (autovacuum_vacuum_scale_factor = 0.02);
alter table audit_events set (autovacuum_vacuum_scale_factor = 0.02);
alter table bulk_actions set (autovacuum_vacuum_scale_factor = 0.02);
alter table campaign_pages set (autovacuum_vacuum_scale_factor = 0.02);
alter table chats set (autovacuum_vacuum_scale_factor = 0.02);
alter table extraction_jobs set (autovacuum_vacuum_scale_factor = 0.02);
alter table extraction_runs set (autovacuum_vacuum_scale_factor = 0.02);
alter table extraction_verifications set (autovacuum_vacuum_scale_factor = 0.02);
alter table gold_items set (autovacuum_vacuum_scale_factor = 0.02);
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02);
alter table memories set (autovacuum_vacuum_scale_factor = 0.02);
alter table monitor_changes set (autovacuum_vacuum_scale_factor = 0.02);
alter table offer_days set (autovacuum_vacuum_scale_factor = 0.02);
alter table offer_minutes set (autovacuum_vacuum_scale_factor = 0.02);
alter table operator_actions set (autovacuum_vacuum_scale_factor = 0.02);
alter table passage_changes set (autovacuum_vacuum_scale_factor = 0.02);
alter table queue_samples set (autovacuum_vacuum_scale_factor = 0.02);
alter table request_counts set (autovacuum_vacuum_scale_factor = 0.02);
alter table requests set (autovacuum_vacuum_scale_factor = 0.02);
alter table reviews set (autovacuum_vacuum_scale_factor = 0.02);
alter table schedule_runs set (autovacuum_vacuum_scale_factor = 0.02);
alter table searches set (autovacuum_vacuum_scale_factor = 0.02);
alter table sign_in_nonces set (autovacuum_vacuum_scale_factor = 0.02);
alter table snapshots set (autovacuum_vacuum_scale_factor = 0.02);
alter table tokens set (autovacuum_vacuum_scale_factor = 0.02);
alter table web_pages set (autovacuum_vacuum_scale_factor = 0.02);
alter table webhook_events set (autovacuum_vacuum_scale_factor = 0.02);

-- What is looked for by state among rows that change it: as jobs.
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02);
alter table work set (autovacuum_vacuum_scale_factor = 0.02);
