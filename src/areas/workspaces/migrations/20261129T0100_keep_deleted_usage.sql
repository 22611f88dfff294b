-- What was used by what is deleted now still counts: for the limits of its day and month, and for whoever meters it.

create table workspace_deleted_usage (
  workspace_id text not null references workspaces (id) on delete cascade,
  hour timestamptz(3) not null,
  dimension text not null,
  quantity numeric not null,
  primary key (workspace_id, hour, dimension)
);

create index workspace_deleted_usage__hour on workspace_deleted_usage (hour);

-- Of a workspace that is going itself nothing is kept.
create function keep_deleted_usage(of_workspace text, at timestamptz, of_dimension text, used numeric) returns void
language sql as $$
  insert into workspace_deleted_usage as u (workspace_id, hour, dimension, quantity)
  select of_workspace, date_trunc('hour', at, 'UTC'), of_dimension, used
  where used > 0 and exists (select 1 from workspaces where id = of_workspace)
  on conflict (workspace_id, hour, dimension) do update set quantity = u.quantity + excluded.quantity
$$;
