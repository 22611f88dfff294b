-- Errors that were found in rows, until a job has counted them on issues. Written with the rows, so that none is counted
-- twice and none is missed.

create table dataset_findings (
  id bigint primary key generated always as identity,
  dataset_no integer not null references datasets (no) on delete cascade,
  fingerprint text not null,
  first_at bigint not null,
  last_at bigint not null,
  count bigint not null,
  title text not null,
  body text not null,
  severity text not null,
  fields jsonb not null,
  example jsonb not null,
  created timestamptz(3) not null default now()
);

create index dataset_findings__fingerprint on dataset_findings (dataset_no, fingerprint);
