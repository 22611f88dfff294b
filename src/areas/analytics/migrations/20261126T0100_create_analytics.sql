-- What the ledger adds up to: each thing that was counted, its hourly sums, and what the counting has to remember.

-- How far the ledger of a workspace has been counted.
create table analytics_places (
  workspace_id text primary key references workspaces (id) on delete cascade,
  seq bigint not null,
  updated timestamptz(3) not null
);

-- What the ledger does not say is read from the record once and kept here, so that counting again gives the same.
create table analytics_readings (
  workspace_id text not null references workspaces (id) on delete cascade,
  seq bigint not null,
  reading jsonb not null,
  primary key (workspace_id, seq)
);

-- Records as they were when they were counted last.
create table analytics_states (
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  fields jsonb not null,
  primary key (workspace_id, object, record_id)
);

-- Issues that come back with the one they were merged into.
create index analytics_states__duplicate_of_id on analytics_states (workspace_id, (fields ->> 'duplicateOfId'))
  where fields ->> 'duplicateOfId' is not null;

-- One row for each thing that a metric counts, with the entry of the ledger that told of it. `weight` is how often it
-- counts: below zero where a number goes down. Numbers are exact, whatever order they are added in.
create table analytics_facts (
  workspace_id text not null references workspaces (id) on delete cascade,
  metric text not null,
  at timestamptz(3) not null,
  seq bigint not null,
  place smallint not null,
  weight integer not null,
  value numeric not null,
  dims jsonb not null,
  primary key (workspace_id, metric, seq, place)
);

create index analytics_facts__at on analytics_facts (workspace_id, metric, at, seq);

-- The same by the hour. `key` stands for the dimensions, which may be too long for an index.
create table analytics_hours (
  workspace_id text not null references workspaces (id) on delete cascade,
  metric text not null,
  hour timestamptz(3) not null,
  key text not null,
  weight bigint not null,
  value numeric not null,
  dims jsonb not null,
  primary key (workspace_id, metric, hour, key)
);
