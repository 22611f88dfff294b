-- Dashboards that somebody has changed: of a role in a workspace, and of a member, with whose membership theirs goes.
create table analytics_dashboards (
  workspace_id text not null references workspaces (id) on delete cascade,
  role text not null,
  tiles jsonb not null,
  updated timestamptz(3) not null,
  primary key (workspace_id, role)
);

create table analytics_own_dashboards (
  workspace_id text not null,
  user_id text not null,
  tiles jsonb not null,
  updated timestamptz(3) not null,
  primary key (workspace_id, user_id),
  constraint analytics_own_dashboards__member foreign key (workspace_id, user_id)
    references workspace_members (workspace_id, user_id) on delete cascade
);

create index analytics_own_dashboards__user_id on analytics_own_dashboards (user_id);
