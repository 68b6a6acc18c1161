-- What is known of a source apart from its text, by registrable domain (Public Suffix List).

-- The operator's own judgement.
create table listed_domains (
    domain text primary key,                -- registrable, lower-case ASCII
    verdict text not null check (verdict in ('allow', 'deny')),
    listed_at timestamptz not null default now()
);

-- Registrable domains a page links to, its own left out, bounded; an unchanged page sends none.
alter table pages add column linked_domains text[] not null default '{}';

-- Who links to whom, counted anew from pages whenever a corpus is fresh.
alter table corpora add column domain text;  -- of its pages; null for what is not on the web
create table corpus_links (
    domain text not null,                   -- linked to
    corpus_id uuid not null references corpora (id) on delete cascade,
    primary key (domain, corpus_id)
);
create index corpus_links_corpus on corpus_links (corpus_id);
