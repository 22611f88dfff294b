-- Requests by the hour: the ledger has changes alone, and most requests change nothing.

-- `timed` of them were answered at once, in `ms` milliseconds together.
create table analytics_requests (
  workspace_id text not null references workspaces (id) on delete cascade,
  hour timestamptz(3) not null,
  credential text not null,
  operation text not null,
  status smallint not null,
  requests bigint not null,
  timed bigint not null,
  ms numeric not null,
  primary key (workspace_id, hour, credential, operation, status)
);

create index analytics_requests__hour on analytics_requests (hour);
