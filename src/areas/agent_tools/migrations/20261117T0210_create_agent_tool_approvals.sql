-- Calls that people approve first, how often a run calls a tool, and a log of what agents called.

alter table agent_tool_policies add column max_calls_per_run int;
alter table agent_tool_policies add column arg_rules jsonb not null default '[]';

-- `requester` is the credential that asked, and the only one that may use what is approved.
create table agent_tool_approvals (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  owner_user_id text generated always as (case when owner_id like 'usr\_%' then owner_id end) stored
    references users (id) on delete cascade,
  requester text not null,
  tool text not null,
  operation text not null,
  args jsonb not null,
  args_digest text not null,
  has_secrets boolean not null,
  run text,
  thread text,
  caller_kind text,
  reason text,
  status text not null,
  decided_by text,
  note text,
  decided_at timestamptz(3),
  used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

-- Who asks the same again while it is open gets the same answer, and nobody is told twice.
create unique index agent_tool_approvals__open on agent_tool_approvals (workspace_id, requester, tool, args_digest)
  where status = 'pending';
create index agent_tool_approvals__created on agent_tool_approvals (workspace_id, created, id);
create index agent_tool_approvals__expires_at on agent_tool_approvals (workspace_id, expires_at, id);
create index agent_tool_approvals__owner_user_id on agent_tool_approvals (owner_user_id);

-- For as long as a run can last; then it goes by its age.
create table agent_tool_run_calls (
  workspace_id text not null references workspaces (id) on delete cascade,
  requester text not null,
  tool text not null,
  calls int not null,
  created timestamptz(3) not null,
  primary key (workspace_id, requester, tool)
);

create index agent_tool_run_calls__created on agent_tool_run_calls (created);

create table agent_tool_calls (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  tool text not null,
  args_digest text,
  outcome text not null,
  ms int not null,
  run text,
  approval text,
  caller_kind text,
  surface text not null,
  created timestamptz(3) not null
);

create index agent_tool_calls__created on agent_tool_calls (workspace_id, created, id);
create index agent_tool_calls__tool on agent_tool_calls (workspace_id, tool, created, id);
create index agent_tool_calls__age on agent_tool_calls (created);

-- By the hour, so that the figures of a week are few rows, however many calls there were.
create table agent_tool_hours (
  workspace_id text not null references workspaces (id) on delete cascade,
  tool text not null,
  hour timestamptz(3) not null,
  calls int not null,
  errors int not null,
  denied int not null,
  last_called_at timestamptz(3) not null,
  primary key (workspace_id, tool, hour)
);

create index agent_tool_hours__hour on agent_tool_hours (hour);
