-- What people are told of: one row for each of them, whether it is shown in the inbox, waits to be mailed, or both.

-- `source` is the same whenever the same is told again, so that nobody is told twice. Names and
-- titles are looked up when the entry is read; `facts` are words that the reader may know for ever.
create table inbox_entries (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  type text not null,
  is_outside boolean not null default false,
  object text,
  record_id text,
  actor_id text references users (id) on delete set null,
  facts jsonb not null,
  source text not null,
  is_shown boolean not null default true,
  read_at timestamptz(3),
  mail text check (mail in ('single', 'digest')),
  created timestamptz(3) not null
);

create unique index inbox_entries__source on inbox_entries (source, user_id);
create index inbox_entries__user_id on inbox_entries (user_id, created, id);
create index inbox_entries__record on inbox_entries (workspace_id, object, record_id);
create index inbox_entries__actor_id on inbox_entries (actor_id);
create index inbox_entries__workspace on inbox_entries (lower(facts ->> 'workspace')) where is_outside;
create index inbox_entries__mail on inbox_entries (user_id) where mail = 'digest';
create index inbox_entries__created on inbox_entries (created);
