-- What former SECRET_KEYs made of credentials is still recognised: the key of each digest is kept,
-- sealed under the newest SECRET_KEY.
create table peppers (
    id text primary key,
    sealed bytea not null,
    kept_at timestamptz not null default now(),
    moved_at timestamptz            -- since when nothing that is stored needs that SECRET_KEY
);
