-- Groups of members that can own keys and records.

create table teams (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  slug text not null,
  description text,
  color text,
  icon text,
  lead_id text references users (id) on delete set null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index teams__slug on teams (workspace_id, slug);
create index teams__name on teams (workspace_id, name, id);
create index teams__created on teams (workspace_id, created, id);
create index teams__updated on teams (workspace_id, updated, id);
create index teams__lead_id on teams (lead_id);

-- A member who leaves the workspace leaves its teams in the same moment.
create table team_members (
  team_id text not null references teams (id) on delete cascade,
  workspace_id text not null,
  user_id text not null,
  created timestamptz(3) not null,
  primary key (team_id, user_id),
  foreign key (workspace_id, user_id) references workspace_members (workspace_id, user_id) on delete cascade
);

create index team_members__workspace_id_user_id on team_members (workspace_id, user_id);
create index team_members__created on team_members (team_id, created, user_id);
