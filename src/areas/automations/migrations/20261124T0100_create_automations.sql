-- Automations, every state that they have had, when they are due, and what they did each time.

create table automations (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  -- In whose name it acts: who saved it last. Null, and it does nothing, when that member is gone.
  granted_by text,
  name text not null,
  description text,
  enabled boolean not null,
  disabled_reason text,
  version integer not null,
  -- Triggers, steps and terms, as JSON in the order in which they were sent.
  definition json not null,
  grants text[] not null,
  -- The events that its triggers name, so that the follower need not read definitions.
  events text[] not null,
  -- Entries of the ledger behind this number are for it: what happened before it was enabled is not.
  from_seq bigint not null,
  -- Users whom the definition names.
  people text[] not null default '{}',
  failures integer not null default 0,
  hook_hint text,
  -- Sealed; what senders sign with.
  hook_secret jsonb not null default '{}',
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(coalesce(description, ''), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index automations__created on automations (workspace_id, created, id);
create index automations__updated on automations (workspace_id, updated, id);
create index automations__name on automations (workspace_id, name, id);
create index automations__owner_id on automations (owner_id);
create index automations__granted_by on automations (workspace_id, granted_by);
create index automations__search on automations using gin (search);
create index automations__listening on automations (workspace_id) where enabled and events <> '{}';
create index automations__people on automations using gin (people) where people <> '{}';

create table automation_versions (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  automation_id text not null references automations (id) on delete cascade,
  version integer not null,
  name text not null,
  definition json not null,
  grants text[] not null,
  people text[] not null default '{}',
  author_user_id text,
  author_team_id text,
  author_client_id text,
  caller_kind text,
  created timestamptz(3) not null
);

create unique index automation_versions__automation_id on automation_versions (automation_id, version);
create index automation_versions__author_user_id on automation_versions (workspace_id, author_user_id);
create index automation_versions__author_team_id on automation_versions (workspace_id, author_team_id) where author_team_id is not null;
create index automation_versions__author_client_id on automation_versions (workspace_id, author_client_id) where author_client_id is not null;
create index automation_versions__people on automation_versions using gin (people) where people <> '{}';

-- One row for each trigger of the kind schedule of an automation that is enabled.
create table automation_schedules (
  automation_id text not null references automations (id) on delete cascade,
  place integer not null,
  workspace_id text not null references workspaces (id) on delete cascade,
  cron text not null,
  timezone text not null,
  jitter_seconds integer not null,
  missed text not null,
  next_at timestamptz(3),
  primary key (automation_id, place)
);

create index automation_schedules__next_at on automation_schedules (next_at) where next_at is not null;
create index automation_schedules__workspace_id on automation_schedules (workspace_id);

-- Tokens of webhook addresses.
create table automation_hooks (
  hash text primary key,
  automation_id text not null references automations (id) on delete cascade,
  created timestamptz(3) not null
);

create unique index automation_hooks__automation_id on automation_hooks (automation_id);

create table automation_executions (
  id text primary key,
  -- In the order in which they came.
  no bigint not null generated always as identity,
  workspace_id text not null references workspaces (id) on delete cascade,
  automation_id text not null references automations (id) on delete cascade,
  version integer not null,
  -- In whose name it acts, and with what at most.
  granted_by text,
  grants text[] not null,
  status text not null,
  -- What started it: the kind of trigger, and what makes this start the only one of its kind.
  trigger_on text not null,
  trigger_at timestamptz(3) not null,
  event_seq bigint,
  event text,
  by_user_id text,
  -- What steps read as `trigger`.
  data json,
  people text[] not null default '{}',
  skipped_reason text,
  skipped_count integer not null default 0,
  error text,
  thread_id text,
  -- The automations whose executions led to this one, the first first.
  causes text[] not null default '{}',
  rerun_of text,
  -- Which of those who took it up may write: the last one.
  taken integer not null default 0,
  lease_until timestamptz(3),
  waits_until timestamptz(3),
  ms integer not null default 0,
  started timestamptz(3),
  ended timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

-- One execution for each entry of the ledger and each time of a schedule, however often it is come upon.
create unique index automation_executions__event on automation_executions (automation_id, event_seq)
  where event_seq is not null and rerun_of is null;
create unique index automation_executions__time on automation_executions (automation_id, trigger_at)
  where trigger_on = 'schedule' and rerun_of is null;
create index automation_executions__created on automation_executions (automation_id, created, no);
create index automation_executions__workspace_id on automation_executions (workspace_id, by_user_id);
create index automation_executions__granted_by on automation_executions (workspace_id, granted_by);
create index automation_executions__active on automation_executions (automation_id, no)
  where status in ('pending', 'delayed', 'running', 'waiting');
create index automation_executions__due on automation_executions (coalesce(waits_until, lease_until, created))
  where status in ('pending', 'delayed', 'running', 'waiting');
create index automation_executions__people on automation_executions using gin (people) where people <> '{}';
create index automation_executions__age on automation_executions (created);
create index automation_executions__thread_id on automation_executions (thread_id) where thread_id is not null;

create table automation_steps (
  execution_id text not null references automation_executions (id) on delete cascade,
  path text not null,
  step_id text,
  does text not null,
  status text not null,
  input json,
  output json,
  people text[] not null default '{}',
  error text,
  attempt integer not null,
  ms integer not null,
  -- A moment, the id of an approval or of a run.
  waits_for text,
  until timestamptz(3),
  started timestamptz(3) not null,
  ended timestamptz(3),
  primary key (execution_id, path)
);

create index automation_steps__people on automation_steps using gin (people) where people <> '{}';
create index automation_steps__waits_for on automation_steps (waits_for) where status = 'waiting' and waits_for is not null;

-- What an execution acts with, or the automation while it is asked whether it starts; over after minutes. In whose name
-- stands there, not here: a row is added while an execution is held, and must wait for nobody else.
create table automation_tokens (
  hash text primary key,
  execution_id text references automation_executions (id) on delete cascade,
  automation_id text not null,
  until timestamptz(3) not null
);

create index automation_tokens__execution_id on automation_tokens (execution_id);
create index automation_tokens__until on automation_tokens (until);
