-- What a workspace pays by and for, as far as whoever makes something in it must know. None: what the operator gives all.

create table workspace_plans (
  workspace_id text primary key references workspaces (id) on delete cascade,
  provider text not null,
  plan text not null,
  seats integer not null,
  -- Null where nothing is paid.
  period_from timestamptz(3),
  period_to timestamptz(3)
);
