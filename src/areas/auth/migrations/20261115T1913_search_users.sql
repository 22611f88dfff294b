-- Search finds members by name, username and proven address, as they are written.

alter table users add column search tsvector generated always as (
  to_tsvector('simple', translate(forename || ' ' || coalesce(surname, '') || ' ' || coalesce(username, '') || ' ' ||
    coalesce(proven_email, ''), '<>', '  '))) stored;
create index users__search on users using gin (search);
