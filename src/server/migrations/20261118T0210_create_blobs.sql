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

-- For two triggers of every table with `workspace_id` and `sha256` whose rows have a file, one after insert and one after
-- delete, each for the statement, with its rows as `changed`: so a cascade counts as well. The files are locked in one
-- order, so that two who share several of them never wait for each other.
create function count_blob_holders() returns trigger language plpgsql as $$
begin
  perform from blobs b where (b.workspace_id, b.sha256) in (select c.workspace_id, c.sha256 from changed c)
    order by b.workspace_id, b.sha256 for update;
  update blobs b set holders = b.holders + case tg_op when 'INSERT' then c.count else -c.count end
    from (select workspace_id, sha256, count(*)::int as count from changed group by workspace_id, sha256) c
    where b.workspace_id = c.workspace_id and b.sha256 = c.sha256;
  if tg_op = 'DELETE' then
    delete from blobs b where b.holders = 0
      and (b.workspace_id, b.sha256) in (select c.workspace_id, c.sha256 from changed c);
  end if;
  return null;
end
$$;
