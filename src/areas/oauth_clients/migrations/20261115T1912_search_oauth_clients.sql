-- Search finds OAuth clients by the words of their text: titles as they are written, text by the stems of its words.
-- What stands in angle brackets would be taken for markup and left out.

alter table oauth_clients add column search tsvector generated always as (
  setweight(to_tsvector('simple', translate(name, '<>', '  ')), 'A') ||
  setweight(to_tsvector('english', translate(name || ' ' || coalesce(description, ''), '<>', '  ')), 'B')) stored;
create index oauth_clients__search on oauth_clients using gin (search);
