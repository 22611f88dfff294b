-- Records of the suite's own area, with everything that records can have.

create table examples (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  text text,
  "group" text,
  visibility text not null,
  team_id text,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(coalesce(text, ''), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index examples__name on examples (workspace_id, owner_id, name);
create index examples__search on examples using gin (search);

create table example_links (
  example_id text not null references examples (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  created timestamptz(3) not null,
  primary key (example_id, object, record_id)
);

create index example_links__record_id on example_links (workspace_id, object, record_id);
