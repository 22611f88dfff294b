-- Cloud accounts: where infrastructure is read from, and each reading until the graph has it.

create table cloud_accounts (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  provider text not null,
  external_id text,
  regions text[] not null default '{}',
  mode text not null,
  -- Without secrets, and without the two ids that stand beside it.
  config jsonb not null default '{}',
  repository_id text,
  dataset_id text,
  secrets jsonb not null default '{}',
  -- What a role of AWS asks for, so that nobody else's account can be read in our name.
  trust_external_id text,
  -- As the last sync left it; that one is under way is said by the lease and by the syncs that wait.
  state text not null,
  error_code text,
  error_text text,
  node_count integer not null default 0,
  rights jsonb,
  sync_interval_minutes integer,
  last_sync_at timestamptz(3),
  last_try_at timestamptz(3),
  -- The newest moment that the graph has, or will have, of this account.
  last_moment timestamptz(3),
  lease text,
  leased_until timestamptz(3),
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '-_/.', '    ')), 'A') ||
    setweight(to_tsvector('simple', translate(coalesce(external_id, ''), '-_/.:', '     ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index cloud_accounts__external_id on cloud_accounts (workspace_id, provider, external_id)
  where external_id is not null;
create unique index cloud_accounts__trust_external_id on cloud_accounts (trust_external_id)
  where trust_external_id is not null;
create index cloud_accounts__created on cloud_accounts (workspace_id, created, id);
create index cloud_accounts__updated on cloud_accounts (workspace_id, updated, id);
create index cloud_accounts__name on cloud_accounts (workspace_id, name, id);
create index cloud_accounts__last_sync_at on cloud_accounts (workspace_id, last_sync_at nulls first, id);
create index cloud_accounts__node_count on cloud_accounts (workspace_id, node_count, id);
create index cloud_accounts__owner_id on cloud_accounts (owner_id);
create index cloud_accounts__repository_id on cloud_accounts (workspace_id, repository_id) where repository_id is not null;
create index cloud_accounts__dataset_id on cloud_accounts (workspace_id, dataset_id) where dataset_id is not null;
create index cloud_accounts__search on cloud_accounts using gin (search);
create index cloud_accounts__last_try_at on cloud_accounts (last_try_at) where sync_interval_minutes is not null;

create table cloud_account_syncs (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  account_id text not null references cloud_accounts (id) on delete cascade,
  status text not null,
  source text not null,
  complete boolean not null,
  -- When it is true of the graph: no two of an account are of one moment.
  moment timestamptz(3),
  started_at timestamptz(3),
  ms integer,
  nodes_added integer not null default 0,
  nodes_changed integer not null default 0,
  nodes_removed integer not null default 0,
  edges_added integer not null default 0,
  edges_removed integer not null default 0,
  errors jsonb not null default '[]',
  -- What was found, until the graph has it: JSON, gzipped. Never a state or a credential.
  payload bytea,
  created timestamptz(3) not null
);

create index cloud_account_syncs__created on cloud_account_syncs (account_id, created, id);
create index cloud_account_syncs__workspace_id on cloud_account_syncs (workspace_id);
create index cloud_account_syncs__status on cloud_account_syncs (account_id, moment) where status in ('waiting', 'running');
