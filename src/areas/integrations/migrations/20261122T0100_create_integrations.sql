-- Integrations, how they are doing, what is sent to them and what they sent in.

create table integrations (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  slug text not null,
  name text not null,
  type text not null,
  config jsonb not null,
  secrets jsonb not null,
  events text[] not null,
  scopes text[] not null,
  -- Whose rights they are cut by: who set them last. Null, and it sees nothing, when that member is gone.
  granted_by text,
  status text not null,
  -- Events behind this number of the ledger are for it: what happened before it was there, or while it was paused, is not.
  from_seq bigint not null,
  -- Until when the secret before the last rotation signs too.
  old_secret_until timestamptz(3),
  inbound_hint text,
  search tsvector generated always as (to_tsvector('simple', translate(name, '<>', '  '))) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index integrations__slug on integrations (workspace_id, slug);
create index integrations__created on integrations (workspace_id, created, id);
create index integrations__updated on integrations (workspace_id, updated, id);
create index integrations__name on integrations (workspace_id, name, id);
create index integrations__owner_id on integrations (owner_id);
create index integrations__search on integrations using gin (search);

-- Apart from the integration, whose row is read with every event and seldom changes.
create table integration_health (
  integration_id text primary key references integrations (id) on delete cascade,
  -- Messages in a row that failed three times.
  consecutive_failures integer not null default 0,
  -- Attempts in a row that failed: after some the target is left alone for a while.
  misses integer not null default 0,
  resting_until timestamptz(3),
  failing_since timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_error text,
  -- Who sends to it now: one at a time, so that events arrive in their order.
  lease text,
  leased_until timestamptz(3)
);

-- Tokens of inbound addresses; `until` is null for the current one.
create table integration_tokens (
  hash text primary key,
  integration_id text not null references integrations (id) on delete cascade,
  until timestamptz(3),
  created timestamptz(3) not null
);

create index integration_tokens__integration_id on integration_tokens (integration_id);

create table integration_deliveries (
  id text primary key,
  -- In the order in which they are sent.
  no bigint not null generated always as identity,
  workspace_id text not null references workspaces (id) on delete cascade,
  integration_id text not null references integrations (id) on delete cascade,
  message_id text not null,
  action text not null,
  event_seq bigint not null,
  body text not null,
  -- Users whom it names: it goes with them.
  people text[] not null default '{}',
  request_headers jsonb not null,
  status text not null,
  attempt integer not null,
  attempts jsonb not null,
  code integer,
  ms integer,
  error text,
  next_attempt_at timestamptz(3),
  replay_of text,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

-- One delivery for each event; sending again makes another, which names the first.
create unique index integration_deliveries__event on integration_deliveries (integration_id, event_seq) where replay_of is null;
create index integration_deliveries__created on integration_deliveries (integration_id, created, no);
create index integration_deliveries__pending on integration_deliveries (integration_id, no) where status = 'pending';
create index integration_deliveries__next_attempt_at on integration_deliveries (integration_id, next_attempt_at) where status = 'pending';
create index integration_deliveries__people on integration_deliveries using gin (people) where people <> '{}';
create index integration_deliveries__age on integration_deliveries (created);
create index integration_deliveries__workspace_id on integration_deliveries (workspace_id);

create table integration_payloads (
  id text primary key,
  no bigint not null generated always as identity,
  workspace_id text not null references workspaces (id) on delete cascade,
  integration_id text not null references integrations (id) on delete cascade,
  received timestamptz(3) not null,
  outcome text not null,
  reason text,
  alerts integer not null,
  bytes integer not null,
  headers jsonb not null,
  body text not null
);

create index integration_payloads__received on integration_payloads (integration_id, received, no);
create index integration_payloads__age on integration_payloads (received);
create index integration_payloads__workspace_id on integration_payloads (workspace_id);

-- Tools of other MCP servers. What is approved is called; what the server says now may be something else.
create table integration_tools (
  id bigint primary key generated always as identity,
  integration_id text not null references integrations (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  tool text not null,
  definition jsonb not null,
  digest text not null,
  status text not null,
  effect text not null,
  approved jsonb,
  approved_digest text,
  reviewed_by text,
  reviewed_at timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index integration_tools__tool on integration_tools (integration_id, tool);

create index integration_tools__workspace_id on integration_tools (workspace_id);

-- Which member stands behind an account elsewhere, as the member says it.
create table integration_people (
  integration_id text not null references integrations (id) on delete cascade,
  external_id text not null,
  user_id text not null references users (id) on delete cascade,
  created timestamptz(3) not null,
  primary key (integration_id, external_id)
);

create index integration_people__user_id on integration_people (user_id);
