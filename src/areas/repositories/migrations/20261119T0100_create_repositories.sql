-- Repositories: where code is mirrored from, how the last sync went, and what its branches and tags pointed at then.

create table repositories (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  description text,
  provider text not null,
  url text not null,
  secrets jsonb not null default '{}',
  -- Lines of known hosts, as ssh wrote them when it saw the host first.
  host_key text,
  enabled boolean not null,
  -- As the last sync left it; that one is under way is said by the lease alone, which ends with the process that has it.
  state text not null,
  error_code text,
  error_text text,
  default_branch text,
  head_sha text,
  -- Of what the remote said last: where it says the same again there is nothing to fetch.
  refs_digest text,
  size_bytes bigint,
  languages jsonb not null default '[]',
  codeowners boolean not null default false,
  sync_interval_minutes integer,
  autofix_enabled boolean not null default true,
  last_sync_at timestamptz(3),
  last_try_at timestamptz(3),
  lease text,
  leased_until timestamptz(3),
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '-_/.', '    ')), 'A') ||
    setweight(to_tsvector('english', translate(coalesce(description, '') || ' ' || url, '<>-_/.', '      ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index repositories__url on repositories (workspace_id, url);
create index repositories__created on repositories (workspace_id, created, id);
create index repositories__updated on repositories (workspace_id, updated, id);
create index repositories__name on repositories (workspace_id, name, id);
create index repositories__last_sync_at on repositories (workspace_id, last_sync_at nulls first, id);
create index repositories__size_bytes on repositories (workspace_id, size_bytes nulls first, id);
create index repositories__owner_id on repositories (owner_id);
create index repositories__search on repositories using gin (search);
create index repositories__last_try_at on repositories (last_try_at) where enabled and sync_interval_minutes is not null;

create table repository_refs (
  workspace_id text not null references workspaces (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  -- In full: refs/heads/main.
  name text not null,
  -- The commit, also of an annotated tag.
  sha text not null,
  primary key (repository_id, name)
);

create index repository_refs__workspace_id on repository_refs (workspace_id);
