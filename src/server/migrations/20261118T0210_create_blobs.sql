-- Files, by the hash of their bytes. Each workspace keeps its own copy: nobody learns from the time of an upload that
-- another workspace has the same file.
create table blobs (
  workspace_id text not null references workspaces (id) on delete cascade,
  sha256 text not null,
  size int not null,
  -- Rows of other tables that have this file; the last one takes it along.
  holders int not null default 0,
  primary key (workspace_id, sha256)
);

-- In pieces, so that a large file is written and read with little memory.
create table blob_pieces (
  workspace_id text not null,
  sha256 text not null,
  place int not null,
  bytes bytea not null,
  primary key (workspace_id, sha256, place),
  foreign key (workspace_id, sha256) references blobs (workspace_id, sha256) on delete cascade
);

-- Most files are compressed already.
alter table blob_pieces alter column bytes set storage external;

-- A trigger of every table with `workspace_id` and `sha256` whose rows have a file: so a cascade counts as well.
create function count_blob_holders() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update blobs set holders = holders + 1 where workspace_id = new.workspace_id and sha256 = new.sha256;
  else
    update blobs set holders = holders - 1 where workspace_id = old.workspace_id and sha256 = old.sha256;
    delete from blobs where workspace_id = old.workspace_id and sha256 = old.sha256 and holders = 0;
  end if;
  return null;
end
$$;
