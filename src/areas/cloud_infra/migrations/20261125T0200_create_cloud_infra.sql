-- Infrastructure: nodes and edges as they are now, their past states, and what has changed.

create table cloud_infra_nodes (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  -- Stays when the account is deleted: its nodes are missing then, and purged later.
  account_id text,
  provider text not null,
  region text not null,
  type text not null,
  external_id text not null,
  name text not null,
  category text not null,
  properties jsonb not null,
  tags jsonb not null,
  tier text not null,
  tier_source text not null,
  source text not null,
  status text not null,
  team_id text,
  -- Of what the source told: where it tells the same again, nothing is written.
  digest text not null,
  -- When the state in this row began; those before are in cloud_infra_node_states.
  since timestamptz(3) not null,
  -- Since when syncs could not see it.
  stale_since timestamptz(3),
  last_seen timestamptz(3) not null,
  -- Missing or ignored, so that searches leave it out.
  hidden_from timestamptz(3),
  purge_at timestamptz(3),
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '-_/.:', '     ')), 'A') ||
    setweight(to_tsvector('simple', translate(external_id, '-_/.:', '     ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index cloud_infra_nodes__key on cloud_infra_nodes
  (workspace_id, account_id, provider, region, type, external_id) nulls not distinct;
create index cloud_infra_nodes__created on cloud_infra_nodes (workspace_id, created, id);
create index cloud_infra_nodes__updated on cloud_infra_nodes (workspace_id, updated, id);
create index cloud_infra_nodes__name on cloud_infra_nodes (workspace_id, name, id);
create index cloud_infra_nodes__type on cloud_infra_nodes (workspace_id, type, id);
create index cloud_infra_nodes__account_id on cloud_infra_nodes (account_id) where account_id is not null;
create index cloud_infra_nodes__owner_id on cloud_infra_nodes (owner_id);
create index cloud_infra_nodes__team_id on cloud_infra_nodes (team_id) where team_id is not null;
create index cloud_infra_nodes__purge_at on cloud_infra_nodes (purge_at) where purge_at is not null;
create index cloud_infra_nodes__search on cloud_infra_nodes using gin (search);

create table cloud_infra_node_states (
  node_id text not null references cloud_infra_nodes (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  name text not null,
  category text not null,
  properties jsonb not null,
  tags jsonb not null,
  tier text not null,
  tier_source text not null,
  source text not null,
  status text not null,
  last_seen timestamptz(3) not null,
  primary key (node_id, since)
);

create index cloud_infra_node_states__until on cloud_infra_node_states (workspace_id, until);
create index cloud_infra_node_states__age on cloud_infra_node_states (until);

create table cloud_infra_edges (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  from_id text not null references cloud_infra_nodes (id) on delete cascade,
  to_id text not null references cloud_infra_nodes (id) on delete cascade,
  relation text not null,
  source text not null,
  -- Who told of it; null where somebody added it by hand.
  account_id text,
  confidence double precision not null,
  created timestamptz(3) not null,
  -- When it ended; null while both of its nodes are active and somebody tells of it.
  until timestamptz(3)
);

create unique index cloud_infra_edges__key on cloud_infra_edges (from_id, to_id, relation, account_id)
  nulls not distinct where until is null;
create index cloud_infra_edges__out on cloud_infra_edges (from_id, relation, to_id) where until is null;
create index cloud_infra_edges__in on cloud_infra_edges (to_id, relation, from_id) where until is null;
create index cloud_infra_edges__from_id on cloud_infra_edges (from_id, created);
create index cloud_infra_edges__to_id on cloud_infra_edges (to_id, created);
create index cloud_infra_edges__created on cloud_infra_edges (workspace_id, created, id);
create index cloud_infra_edges__account_id on cloud_infra_edges (account_id, from_id, to_id)
  where account_id is not null and until is null;
create index cloud_infra_edges__until on cloud_infra_edges (until) where until is not null;

create table cloud_infra_changes (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  at timestamptz(3) not null,
  node_id text not null references cloud_infra_nodes (id) on delete cascade,
  node_name text not null,
  node_type text not null,
  account_id text,
  sync_id text,
  kind text not null,
  diff jsonb not null
);

create index cloud_infra_changes__at on cloud_infra_changes (workspace_id, at, id);
create index cloud_infra_changes__node_id on cloud_infra_changes (node_id, at);
create index cloud_infra_changes__age on cloud_infra_changes (at);

-- When all of an account was seen last: nodes that are as they were then are not written again.
create table cloud_infra_seen (
  account_id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  seen_at timestamptz(3) not null
);

create index cloud_infra_seen__workspace_id on cloud_infra_seen (workspace_id);

create table cloud_infra_tiers (
  workspace_id text primary key references workspaces (id) on delete cascade,
  rules jsonb not null,
  updated timestamptz(3) not null
);
