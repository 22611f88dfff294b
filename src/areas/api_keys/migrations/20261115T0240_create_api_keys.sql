-- Keys of a workspace, and run tokens; secrets are stored hashed, apart from the record they open.

-- owner_user_id and owner_team_id repeat owner_id, so that a key goes with its owner in the same transaction.
create table api_keys (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  owner_user_id text generated always as (case when owner_id like 'usr\_%' then owner_id end) stored
    references users (id) on delete cascade,
  owner_team_id text generated always as (case when owner_id like 'team\_%' then owner_id end) stored
    references teams (id) on delete cascade,
  name text not null,
  scopes text[] not null,
  caller_kind text,
  enabled boolean not null default true,
  expires timestamptz(3),
  allowed_ips text[],
  hint text not null,
  created_by text,
  last_active timestamptz(3),
  scope_use jsonb not null default '{}',
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index api_keys__created on api_keys (workspace_id, created, id);
create index api_keys__updated on api_keys (workspace_id, updated, id);
create index api_keys__name on api_keys (workspace_id, name, id);
create index api_keys__owner_id on api_keys (workspace_id, owner_id, id);
create index api_keys__last_active on api_keys (workspace_id, last_active, id);
create index api_keys__workspace_id_id on api_keys (workspace_id, id);
create index api_keys__owner_user_id on api_keys (owner_user_id);
create index api_keys__owner_team_id on api_keys (owner_team_id);

-- A rotated-out secret stays until its overlap ends; `until` is null for the current one.
create table api_key_secrets (
  hash text primary key,
  key_id text not null references api_keys (id) on delete cascade,
  until timestamptz(3),
  created timestamptz(3) not null
);

create index api_key_secrets__key_id on api_key_secrets (key_id);

-- The credential of one agent run: carries a caller kind, lives for minutes.
create table agent_runs (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  owner_user_id text generated always as (case when owner_id like 'usr\_%' then owner_id end) stored
    references users (id) on delete cascade,
  caller_kind text not null,
  scopes text[] not null,
  hash text not null,
  expires timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index agent_runs__hash on agent_runs (hash);
create index agent_runs__workspace_id on agent_runs (workspace_id);
create index agent_runs__owner_user_id on agent_runs (owner_user_id);
