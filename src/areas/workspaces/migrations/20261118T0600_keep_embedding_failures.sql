-- How a workspace's embeddings endpoint fares; in a table of its own, since jobs write it and whoever caches workspaces
-- must not hear of it.

create table workspace_embeddings (
  workspace_id text primary key references workspaces (id) on delete cascade,
  last_error text not null,
  last_error_at timestamptz(3) not null,
  -- In a row; the next try waits the longer the more they are.
  failures integer not null,
  -- Nothing is sent before.
  retry_at timestamptz(3) not null
);
