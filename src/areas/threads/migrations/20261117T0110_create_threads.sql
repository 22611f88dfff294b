-- Threads: transcripts with a purpose, in which people and agents work; their messages and what they are about.

create table threads (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  -- False while the name is to be made from the first message.
  is_named boolean not null,
  type text not null,
  visibility text not null,
  team_id text,
  parent_thread_id text references threads (id) on delete cascade,
  -- How many threads stand above it.
  depth smallint not null default 0,
  status text not null,
  statement text,
  verdict text,
  confidence double precision,
  evidence text[] not null default '{}',
  outcome_kind text,
  outcome_summary text,
  outcome_cause text,
  issue_id text,
  summary text,
  -- The number of the last message; whoever writes one holds this row, so that numbers have no gaps.
  last_seq int not null default 0,
  last_message_at timestamptz(3),
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(name, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(name || ' ' || coalesce(summary, ''), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
) with (fillfactor = 80);

create index threads__created on threads (workspace_id, created, id);
create index threads__updated on threads (workspace_id, updated, id);
create index threads__name on threads (workspace_id, name, id);
create index threads__last_message_at on threads (workspace_id, last_message_at nulls first, id);
create index threads__status on threads (workspace_id, status, created, id);
create index threads__team_id on threads (workspace_id, team_id) where team_id is not null;
create index threads__issue_id on threads (workspace_id, issue_id) where issue_id is not null;
create index threads__parent_thread_id on threads (parent_thread_id);
create index threads__evidence on threads using gin (evidence);
create index threads__owner_id on threads (owner_id);
create index threads__search on threads using gin (search);

-- What a thread is about: a row goes with either of the two.
create table thread_context (
  workspace_id text not null references workspaces (id) on delete cascade,
  thread_id text not null references threads (id) on delete cascade,
  object text not null,
  record_id text not null,
  place int not null,
  primary key (thread_id, object, record_id)
);

create index thread_context__record on thread_context (workspace_id, object, record_id);

-- A deleted message keeps its place and nothing else. `title` and `text` are what people read of its parts.
create table messages (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  thread_id text not null references threads (id) on delete cascade,
  seq int not null,
  role text not null,
  status text not null,
  parts jsonb not null,
  title text not null,
  text text not null,
  author_user_id text,
  author_team_id text,
  author_client_id text,
  -- The key or run that wrote it, also when that is gone.
  author_credential text,
  caller_kind text,
  usage jsonb,
  edited timestamptz(3),
  search tsvector generated always as (
    case when status = 'streaming' then null
      else to_tsvector('english', translate(left(text, 20000), '<>', '  ')) end) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index messages__seq on messages (thread_id, seq);
create index messages__created on messages (workspace_id, created, id);
create index messages__author_user_id on messages (workspace_id, author_user_id) where author_user_id is not null;
create index messages__author_team_id on messages (workspace_id, author_team_id) where author_team_id is not null;
create index messages__author_client_id on messages (workspace_id, author_client_id) where author_client_id is not null;
create index messages__author_credential on messages (author_credential) where status = 'streaming';
create index messages__search on messages using gin (search);

-- What its starter alone may see, a run sees where its thread is the starter's alone too: others read what it writes.
alter table agent_runs add column sees_private boolean not null default false;
alter table agent_runs add constraint agent_runs__thread foreign key (thread_id) references threads (id) on delete cascade;
