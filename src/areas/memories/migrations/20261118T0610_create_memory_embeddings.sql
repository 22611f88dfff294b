-- What texts of memories mean, as numbers: plain arrays, so that the table needs no extension; a search casts them.

create table memory_embeddings (
  memory_id text primary key references memories (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- The version of the memory whose text it is.
  version integer not null,
  -- Hash of endpoint and model: only numbers of the same source can be compared.
  source text not null,
  -- How many numbers; of its own, so that a vector of another length is not even read.
  dimensions integer not null,
  vector real[] not null
);

-- Numbers do not get smaller by compressing.
alter table memory_embeddings alter column vector set storage external;

create index memory_embeddings__workspace_id on memory_embeddings (workspace_id, source);
