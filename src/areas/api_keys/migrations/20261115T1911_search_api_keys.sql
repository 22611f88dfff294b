-- Search finds keys by the words of their names, as they are written. What stands in angle brackets would be taken for
-- markup and left out.

alter table api_keys add column search tsvector generated always as (
  to_tsvector('simple', translate(name, '<>', '  '))) stored;
create index api_keys__search on api_keys using gin (search);
