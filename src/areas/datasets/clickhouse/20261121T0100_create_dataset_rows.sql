-- Rows of datasets: one table for each kind, a partition for each day (counted from 1970), times in nanoseconds.

create table if not exists dataset_logs (
  dataset_no UInt32,
  at Int64,
  id UInt64,
  bytes UInt32,
  severity Nullable(String),
  service Nullable(String),
  name Nullable(String),
  body Nullable(String),
  trace_id Nullable(String),
  span_id Nullable(String),
  attribute_names Array(String),
  attribute_values Array(String),
  has_resource UInt8,
  resource_names Array(String),
  resource_values Array(String),
  detail Nullable(String)
) engine = MergeTree partition by intDiv(at, 86400000000000) order by (dataset_no, at, id);

create table if not exists dataset_traces (
  dataset_no UInt32,
  at Int64,
  id UInt64,
  bytes UInt32,
  service Nullable(String),
  name Nullable(String),
  duration_ms Nullable(Float64),
  status Nullable(String),
  status_message Nullable(String),
  kind Nullable(String),
  trace_id Nullable(String),
  span_id Nullable(String),
  parent_span_id Nullable(String),
  attribute_names Array(String),
  attribute_values Array(String),
  has_resource UInt8,
  resource_names Array(String),
  resource_values Array(String),
  detail Nullable(String)
) engine = MergeTree partition by intDiv(at, 86400000000000) order by (dataset_no, at, id);

create table if not exists dataset_metrics (
  dataset_no UInt32,
  at Int64,
  id UInt64,
  bytes UInt32,
  service Nullable(String),
  name Nullable(String),
  type Nullable(String),
  unit Nullable(String),
  value Nullable(Float64),
  attribute_names Array(String),
  attribute_values Array(String),
  has_resource UInt8,
  resource_names Array(String),
  resource_values Array(String),
  detail Nullable(String)
) engine = MergeTree partition by intDiv(at, 86400000000000) order by (dataset_no, at, id);

create table if not exists dataset_tables (
  dataset_no UInt32,
  at Int64,
  id UInt64,
  bytes UInt32,
  attribute_names Array(String),
  attribute_values Array(String),
  has_resource UInt8,
  resource_names Array(String),
  resource_values Array(String),
  detail Nullable(String)
) engine = MergeTree partition by intDiv(at, 86400000000000) order by (dataset_no, at, id);
