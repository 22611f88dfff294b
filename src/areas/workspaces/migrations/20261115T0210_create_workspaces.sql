-- The tenant: everything else hangs under it and goes with it.

create table workspaces (
  id text primary key,
  name text not null,
  slug text not null,
  description text,
  owner_id text not null,
  status text not null default 'active',
  delete_at timestamptz(3),
  settings jsonb not null default '{}',
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index workspaces__slug on workspaces (slug);
create index workspaces__owner_id on workspaces (owner_id);
create index workspaces__delete_at on workspaces (delete_at) where delete_at is not null;

create table workspace_members (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  position text not null,
  scopes text[],
  status text not null default 'active',
  invited_by text references users (id) on delete set null,
  last_active timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (workspace_id, user_id)
);

create index workspace_members__user_id on workspace_members (user_id);
create index workspace_members__invited_by on workspace_members (invited_by);
create index workspace_members__created on workspace_members (workspace_id, created, user_id);
