-- A run is its own credential: each attempt has a token, which ends with the lease of that attempt and with the run.

-- Tokens that live for minutes; nobody can have begun anything else with them.
drop table agent_runs;

-- `starter_id` is the key or consent that the run was started with, if any: it ends with it. `steps`, `place` and
-- `named` are a script's: what it does, how far it is, and what it remembers.
create table agent_runs (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  thread_id text,
  owner_id text not null,
  owner_user_id text generated always as (case when owner_id like 'usr\_%' then owner_id end) stored
    references users (id) on delete cascade,
  starter_id text,
  caller_kind text not null,
  is_attended boolean not null,
  scopes text[] not null,
  runner text not null,
  status text not null,
  instructions text,
  steps jsonb,
  place int not null default 0,
  named jsonb not null default '{}',
  attempt int not null default 0,
  hash text,
  lease_until timestamptz(3),
  runner_id text,
  summary text,
  error text,
  usage jsonb,
  started timestamptz(3),
  ended timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  constraint agent_runs__member foreign key (workspace_id, owner_user_id)
    references workspace_members (workspace_id, user_id) on delete cascade
);

create unique index agent_runs__hash on agent_runs (hash);
create index agent_runs__workspace_id_owner_user_id on agent_runs (workspace_id, owner_user_id);
create index agent_runs__owner_user_id on agent_runs (owner_user_id);
-- One active run per thread, whoever starts it.
create unique index agent_runs__thread_id_active on agent_runs (thread_id)
  where status in ('queued', 'leased', 'running', 'parked');
create index agent_runs__queued on agent_runs (workspace_id, created, id) where status = 'queued';
create index agent_runs__lease_until on agent_runs (lease_until) where lease_until is not null;
create index agent_runs__thread_id on agent_runs (thread_id, created, id);
create index agent_runs__workspace_id on agent_runs (workspace_id, created, id);
