-- While much is done the index over what waits fills with dead entries, which every choice walks past
-- until a vacuum is through. So it does not rest in between.
alter table jobs set (autovacuum_vacuum_cost_delay = 0);
