-- Datasets, their rows by day, and what is counted of them.

create table datasets (
  id text primary key,
  -- What rows say in place of the id: four bytes instead of thirty.
  no integer not null generated always as identity,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  slug text not null,
  description text,
  kind text not null,
  retention_days integer not null,
  issue_detection jsonb not null,
  status text not null,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(slug, '-', ' ')), 'A') ||
    setweight(to_tsvector('english', translate(coalesce(description, ''), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index datasets__no on datasets (no);
create unique index datasets__slug on datasets (workspace_id, slug);
create index datasets__created on datasets (workspace_id, created, id);
create index datasets__updated on datasets (workspace_id, updated, id);
create index datasets__owner_id on datasets (owner_id);
create index datasets__search on datasets using gin (search);

-- Exact: changed in the transactions that write and remove rows.
create table dataset_hours (
  dataset_no integer not null references datasets (no) on delete cascade,
  hour bigint not null,
  rows bigint not null,
  bytes bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  primary key (dataset_no, hour)
);

create table dataset_fields (
  dataset_no integer not null references datasets (no) on delete cascade,
  name text not null,
  type text not null,
  seen bigint not null,
  primary key (dataset_no, name)
);

-- Rows of datasets that are gone; a job removes them.
create table dataset_leftovers (
  dataset_no integer primary key,
  kind text not null,
  deleted timestamptz(3) not null default now()
);

create function note_dataset_leftovers() returns trigger language plpgsql as $$
begin
  insert into dataset_leftovers (dataset_no, kind) values (old.no, old.kind) on conflict do nothing;
  return null;
end $$;

create trigger note_dataset_leftovers after delete on datasets for each row execute function note_dataset_leftovers();

create table dataset_logs (
  dataset_no integer not null,
  at bigint not null,
  id bigint not null,
  bytes integer not null,
  severity text,
  service text,
  name text,
  body text,
  trace_id text,
  span_id text,
  attributes jsonb,
  resource jsonb,
  detail jsonb
) partition by range (at);

create index dataset_logs__at on dataset_logs (dataset_no, at);
create index dataset_logs__trace_id on dataset_logs (trace_id) where trace_id is not null;

create table dataset_traces (
  dataset_no integer not null,
  at bigint not null,
  id bigint not null,
  bytes integer not null,
  service text,
  name text,
  duration_ms double precision,
  status text,
  status_message text,
  kind text,
  trace_id text,
  span_id text,
  parent_span_id text,
  attributes jsonb,
  resource jsonb,
  detail jsonb
) partition by range (at);

create index dataset_traces__at on dataset_traces (dataset_no, at);
create index dataset_traces__trace_id on dataset_traces (trace_id);

create table dataset_metrics (
  dataset_no integer not null,
  at bigint not null,
  id bigint not null,
  bytes integer not null,
  service text,
  name text,
  type text,
  unit text,
  value double precision,
  attributes jsonb,
  resource jsonb,
  detail jsonb
) partition by range (at);

create index dataset_metrics__at on dataset_metrics (dataset_no, at);

create table dataset_tables (
  dataset_no integer not null,
  at bigint not null,
  id bigint not null,
  bytes integer not null,
  attributes jsonb,
  resource jsonb,
  detail jsonb
) partition by range (at);

create index dataset_tables__at on dataset_tables (dataset_no, at);

-- Days that have no partition of their own: old ones that come late, and what a backup brought back.
create table dataset_logs_other partition of dataset_logs default;
create table dataset_traces_other partition of dataset_traces default;
create table dataset_metrics_other partition of dataset_metrics default;
create table dataset_tables_other partition of dataset_tables default;
