-- Search finds teams by the words of their text: titles as they are written, text by the stems of its words.
-- What stands in angle brackets would be taken for markup and left out.

alter table teams add column search tsvector generated always as (
  setweight(to_tsvector('simple', translate(name, '<>', '  ')), 'A') ||
  setweight(to_tsvector('english', translate(name || ' ' || coalesce(description, ''), '<>', '  ')), 'B')) stored;
create index teams__search on teams using gin (search);
