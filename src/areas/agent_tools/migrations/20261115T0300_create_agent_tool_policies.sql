-- What a workspace has said about its agents' tools; a tool without a row follows the defaults.

create table agent_tool_policies (
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  mode text not null,
  per_kind jsonb not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (workspace_id, name)
);
