-- Skills: instructions for agents, every state that their text and files have had, and the files.

create table skills (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  slug text not null,
  -- SKILL.md as it was sent; the columns below are what its front matter says.
  markdown text not null,
  description text not null,
  license text,
  compatibility text,
  -- Not jsonb: the order of names stays as it was sent.
  metadata json not null,
  allowed_tools text[] not null,
  parameters_schema json,
  source text not null,
  enabled boolean not null,
  version integer not null,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(slug, '-', ' ')), 'A') ||
    setweight(to_tsvector('english', translate(description || ' ' || left(markdown, 20000), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index skills__slug on skills (workspace_id, slug);
create index skills__created on skills (workspace_id, created, id);
create index skills__updated on skills (workspace_id, updated, id);
create index skills__owner_id on skills (owner_id);
create index skills__search on skills using gin (search);

create table skill_versions (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  skill_id text not null references skills (id) on delete cascade,
  version integer not null,
  slug text not null,
  markdown text not null,
  parameters_schema json,
  author_user_id text,
  author_team_id text,
  author_client_id text,
  caller_kind text,
  use_count integer not null default 0,
  last_used_at timestamptz(3),
  created timestamptz(3) not null
);

create unique index skill_versions__skill_id on skill_versions (skill_id, version);
-- Of all rows, since it also serves the end of a workspace.
create index skill_versions__author_user_id on skill_versions (workspace_id, author_user_id);
create index skill_versions__author_team_id on skill_versions (workspace_id, author_team_id) where author_team_id is not null;
create index skill_versions__author_client_id on skill_versions (workspace_id, author_client_id) where author_client_id is not null;

-- A file belongs to all versions from `since_version` to the one before `until_version`.
create table skill_files (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  skill_id text not null references skills (id) on delete cascade,
  path text not null,
  mime_type text not null,
  size integer not null,
  sha256 text not null,
  since_version integer not null,
  until_version integer,
  created timestamptz(3) not null
);

create unique index skill_files__path on skill_files (skill_id, path) where until_version is null;
create index skill_files__skill_id on skill_files (skill_id, since_version);
create index skill_files__workspace_id on skill_files (workspace_id, sha256);

-- Their contents stay as long as any version has them.
create trigger skill_files__hold after insert on skill_files
  referencing new table as changed for each statement execute function count_blob_holders();
create trigger skill_files__release after delete on skill_files
  referencing old table as changed for each statement execute function count_blob_holders();
