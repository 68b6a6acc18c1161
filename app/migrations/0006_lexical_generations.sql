-- The lexical index in generations, so that a new one can be built beside the one that serves, and
-- its postings as packed bytes, which a reader scores without unpacking rows of arrays.
create table lexical_generations (
    id int generated always as identity primary key,
    ns text not null,
    analysis int not null,                  -- the version of the analysis its terms come from
    state text not null check (state in ('serving', 'building', 'left')),
    position int not null default 0,        -- while building: passages up to this id are in it
    touched_at timestamptz not null default now()
);
create unique index lexical_generations_current on lexical_generations (ns, state)
    where state <> 'left';

insert into lexical_generations (ns, analysis, state) select ns, 1, 'serving' from lexical_stats;

-- What each change added or (below 0) took away; the sums are the statistics of a generation.
create table lexical_counts (
    generation int not null,
    language text,
    passages bigint not null,
    terms bigint not null                   -- sum of passage lengths, in terms
);

alter table lexical_passages rename to lexical_passages_before;
alter index lexical_passages_pkey rename to lexical_passages_pkey_before;
alter index lexical_passages_source rename to lexical_passages_source_before;
create table lexical_passages (
    generation int not null,
    passage_id int not null,
    source_id text not null,
    corpus text,
    domain text,
    language text,
    published_at timestamptz,
    fetched_at timestamptz,
    length smallint not null                -- terms, repeats counted, as in the postings
);
insert into lexical_passages
select id, passage_id, source_id, corpus, domain, language, published_at, fetched_at, length
from lexical_passages_before join lexical_generations using (ns) where not dead;
alter table lexical_passages add primary key (generation, passage_id);
create index lexical_passages_source on lexical_passages (generation, source_id);

insert into lexical_counts
select generation, language, count(*), sum(length) from lexical_passages group by 1, 2;

-- Passages whose postings are still to be dropped: ids of four bytes, most significant first.
create table lexical_dead (
    generation int not null,
    passages bytea not null,
    purged_to bigint                        -- up to this term no block holds them any more
);

-- What was added last, a row per batch and bucket of terms: (term, posting), 16 bytes each.
create table lexical_fresh (
    generation int not null,
    bucket smallint not null,               -- term & 127
    id bigint generated always as identity,
    postings bytea not null,
    primary key (generation, bucket, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
alter table lexical_fresh alter column postings set storage external;

-- The postings of a term: passage (4 bytes), frequency and passage length (2 each), most
-- significant byte first. A block keeps below the 2 kB from which a row is stored out of line.
-- A term is the first 63 bits of the SHA-256 of its lexeme: writers need to ask nobody for numbers.
alter table lexical_blocks rename to lexical_blocks_before;
alter index lexical_blocks_pkey rename to lexical_blocks_pkey_before;
create sequence lexical_parts;
create table lexical_blocks (
    term bigint not null,
    generation int not null,
    part bigint not null default nextval('lexical_parts'),  -- 0: the one that is not full
    postings bytea not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
alter table lexical_blocks alter column postings set storage external;

with posting as (
    select ns, lexeme, unnest(passages) as passage, unnest(counts) as count
    from lexical_blocks_before join lexical_terms on lexical_terms.id = term_id
), numbered as (
    select gathered.id as generation, lexeme, posting.passage, count,
           (row_number() over (partition by gathered.id, lexeme order by passage) - 1) / 240 as part
    from posting join lexical_generations as gathered using (ns)
    where passage in (select passage_id from lexical_passages)
)
insert into lexical_blocks
select ('x' || encode(substr(sha256(convert_to(lexeme, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint
           & 9223372036854775807,
       generation,
       case when count(*) = 240 then nextval('lexical_parts') else 0 end,
       string_agg(int4send(passage) || int4send(count), '' order by passage)
from numbered group by generation, lexeme, part;
alter table lexical_blocks add primary key (term, generation, part);

drop table lexical_passages_before, lexical_blocks_before, lexical_terms, lexical_languages,
    lexical_stats;
drop sequence lexical_block_numbers;

-- A page may change its title alone: that is another snapshot of the same text.
alter table snapshots drop constraint snapshots_url_content_hash_key;
create unique index snapshots_content on snapshots (url, content_hash, md5(coalesce(title, '')));
