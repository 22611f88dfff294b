-- Ways into a workspace that were handed out; the token is stored hashed.

create table invites (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  email text,
  position text not null,
  team_ids text[] not null default '{}',
  hash text not null,
  max_uses int not null,
  uses int not null default 0,
  is_revoked boolean not null default false,
  created_by text references users (id) on delete cascade,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index invites__hash on invites (hash);
create index invites__workspace_id on invites (workspace_id, created, id);
create index invites__created_by on invites (created_by);
