-- Words that records of any kind are sorted by, which records carry them, and where words lead that are no longer names.

create table labels (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  folded text not null,
  color text not null,
  description text,
  "group" text,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(name || ' ' || coalesce(description, ''), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index labels__folded on labels (workspace_id, folded);
create index labels__name on labels (workspace_id, name, id);
create index labels__created on labels (workspace_id, created, id);
create index labels__updated on labels (workspace_id, updated, id);
create index labels__owner_id on labels (owner_id);
create index labels__search on labels using gin (search);

create table label_assignments (
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  label_id text not null references labels (id) on delete cascade,
  primary key (workspace_id, object, record_id, label_id)
);

create index label_assignments__label_id on label_assignments (label_id, object, record_id);

-- A name or an id that a filter may still say, although its label was merged or renamed.
create table label_redirects (
  workspace_id text not null references workspaces (id) on delete cascade,
  word text not null,
  label_id text not null references labels (id) on delete cascade,
  expires_at timestamptz(3) not null,
  primary key (workspace_id, word)
);

create index label_redirects__label_id on label_redirects (label_id);
create index label_redirects__expires_at on label_redirects (expires_at);
