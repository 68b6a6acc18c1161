-- The lexical index: our own BM25 postings as array blocks (design: one table, ordinary SQL).
create table snapshots (
    id uuid primary key,
    url text not null,
    title text,
    text text not null,                     -- canonical text; every citation is a slice of it
    content_hash text not null,             -- sha256:<hex> of the text in UTF-8
    language text,
    published_at timestamptz,
    facts jsonb not null default '{}',      -- author, publisher, canonical URL, main-text ratio ...
    fetched_at timestamptz not null,
    unique (url, content_hash)
);

create table passages (
    id int generated always as identity primary key,
    corpus_id uuid not null,
    source_id uuid not null,                -- the page the passage belongs to
    snapshot_id uuid not null references snapshots (id),
    ordinal int not null,
    start_at int not null,                  -- code points in the snapshot's text
    end_at int not null,
    title text,
    headings text[] not null default '{}',
    text text not null,                     -- the slice itself: ranking reads a hundred of them
    url text not null,
    domain text not null,
    language text,
    published_at timestamptz,
    fetched_at timestamptz not null
);
create index passages_source on passages (source_id);
create index passages_snapshot on passages (snapshot_id);

create table lexical_terms (
    id int generated always as identity primary key,
    lexeme text not null unique,
    df int not null default 0               -- passages that hold the term
);

create table lexical_stats (
    only_row boolean primary key default true check (only_row),
    passages bigint not null default 0,
    terms bigint not null default 0         -- sum of passage lengths, in terms
);
insert into lexical_stats default values;

create table lexical_blocks (
    term_id int not null,
    block bigint not null,
    passages int[] not null,
    weights smallint[] not null,            -- 1000 x the BM25 term part at indexing time
    primary key (term_id, block)
);
create sequence lexical_block_numbers;
