-- Telemetry tokens: what OpenTelemetry senders write into datasets with, and what came of it day by day.

-- A dataset that a token points at cannot be deleted, hence no cascade; both go with their workspace.
create table telemetry_tokens (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  traces_dataset_id text constraint telemetry_tokens__traces references datasets (id),
  logs_dataset_id text constraint telemetry_tokens__logs references datasets (id),
  metrics_dataset_id text constraint telemetry_tokens__metrics references datasets (id),
  resource_defaults jsonb not null,
  items_per_minute integer,
  bytes_per_day bigint,
  allowed_origins text[] not null,
  hint text not null,
  old_secret_until timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  search tsvector generated always as (to_tsvector('simple', translate(name, '<>', '  '))) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index telemetry_tokens__created on telemetry_tokens (workspace_id, created, id);
create index telemetry_tokens__updated on telemetry_tokens (workspace_id, updated, id);
create index telemetry_tokens__name on telemetry_tokens (workspace_id, name, id);
create index telemetry_tokens__owner_id on telemetry_tokens (owner_id);
create index telemetry_tokens__traces_dataset_id on telemetry_tokens (traces_dataset_id) where traces_dataset_id is not null;
create index telemetry_tokens__logs_dataset_id on telemetry_tokens (logs_dataset_id) where logs_dataset_id is not null;
create index telemetry_tokens__metrics_dataset_id on telemetry_tokens (metrics_dataset_id) where metrics_dataset_id is not null;
create index telemetry_tokens__allowed_origins on telemetry_tokens using gin (allowed_origins);
create index telemetry_tokens__search on telemetry_tokens using gin (search);

-- A rotated-out secret stays until its overlap ends; `until` is null for the current one.
create table telemetry_token_secrets (
  hash text primary key,
  token_id text not null references telemetry_tokens (id) on delete cascade,
  until timestamptz(3),
  created timestamptz(3) not null
);

create index telemetry_token_secrets__token_id on telemetry_token_secrets (token_id);

-- Apart from the token, whose row is read with every request and seldom changes. `day` is midnight in UTC.
create table telemetry_token_days (
  token_id text not null references telemetry_tokens (id) on delete cascade,
  day timestamptz(3) not null,
  bytes bigint not null default 0,
  accepted bigint not null default 0,
  rejected bigint not null default 0,
  last_used_at timestamptz(3),
  error_at timestamptz(3),
  error_signal text,
  error_message text,
  primary key (token_id, day)
);

create index telemetry_token_days__day on telemetry_token_days (day);
