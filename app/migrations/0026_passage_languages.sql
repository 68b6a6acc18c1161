-- A passage may be in another language than most of its page. Null: it is in that of its snapshot.
alter table passages add column language text;
