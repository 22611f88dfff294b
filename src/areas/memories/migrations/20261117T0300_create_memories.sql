-- Memories: facts that people and agents should know, every text that they have had, and the records that they tell of.

create table memories (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  title text not null,
  markdown text not null,
  -- Equal for texts that say the same but for case and spaces.
  hash text not null,
  source_type text not null,
  visibility text not null,
  team_id text,
  -- active, superseded or archived; what has expired is still active here.
  status text not null,
  pinned boolean not null,
  confidence double precision not null,
  expires_at timestamptz(3),
  -- From then on lists and searches leave it out; long ago where it is not active.
  hidden_from timestamptz(3) generated always as (
    case when status = 'active' then expires_at else to_timestamp(0) end) stored,
  superseded_by_id text,
  version integer not null,
  -- Not indexed: a search of an agent changes nothing but these two.
  use_count integer not null default 0,
  last_used_at timestamptz(3),
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(title, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(title || ' ' || left(markdown, 20000), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
) with (fillfactor = 90);

create index memories__created on memories (workspace_id, created, id);
create index memories__updated on memories (workspace_id, updated, id);
create index memories__title on memories (workspace_id, title, id);
create index memories__hash on memories (workspace_id, hash);
create index memories__team_id on memories (workspace_id, team_id) where team_id is not null;
create index memories__superseded_by_id on memories (workspace_id, superseded_by_id) where superseded_by_id is not null;
create index memories__owner_id on memories (owner_id);
create index memories__search on memories using gin (search);

create table memory_versions (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  memory_id text not null references memories (id) on delete cascade,
  version integer not null,
  title text not null,
  markdown text not null,
  author_user_id text,
  author_team_id text,
  author_client_id text,
  caller_kind text,
  created timestamptz(3) not null
);

create unique index memory_versions__memory_id on memory_versions (memory_id, version);
-- Of all rows, since it also serves the end of a workspace.
create index memory_versions__author_user_id on memory_versions (workspace_id, author_user_id);
create index memory_versions__author_team_id on memory_versions (workspace_id, author_team_id) where author_team_id is not null;
create index memory_versions__author_client_id on memory_versions (workspace_id, author_client_id) where author_client_id is not null;

create table memory_abouts (
  memory_id text not null references memories (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  position integer not null,
  primary key (memory_id, object, record_id)
);

create index memory_abouts__record_id on memory_abouts (workspace_id, object, record_id);
