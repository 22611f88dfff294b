-- A memory may tell of a path in a repository: whether that has changed since is seen after each sync.
alter table memory_abouts add column path text not null default '';
-- What stood at the path when the memory was written, as git names it; empty where nothing did, null until it is looked at.
alter table memory_abouts add column content text;
alter table memory_abouts add column is_stale boolean not null default false;

alter table memory_abouts drop constraint memory_abouts_pkey;
alter table memory_abouts add primary key (memory_id, object, record_id, path);

-- After a sync, the paths of its repository are read in pieces, by name.
create index memory_abouts__path on memory_abouts (workspace_id, record_id, path)
  where object = 'repository' and path <> '';
