-- How far the import is that somebody waits for: one of a person is read at a time, and the row goes with its end.
create table workspace_imports (
  user_id text primary key references users (id) on delete cascade,
  phase text not null,
  part text not null,
  done int not null,
  total int not null,
  updated timestamptz(3) not null
);
