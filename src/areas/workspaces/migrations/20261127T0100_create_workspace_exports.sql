-- A workspace leaves as one file, and comes from one: the file, its progress, ledgers of earlier homes, and people who have no
-- account here yet.
create table workspace_exports (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  status text not null,
  -- The part that is being packed, and how many of all are done.
  part text,
  done int not null default 0,
  total int not null default 0,
  size bigint,
  sha256 text,
  error text,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index workspace_exports__workspace_id on workspace_exports (workspace_id, created);
create index workspace_exports__user_id on workspace_exports (user_id);
create index workspace_exports__expires_at on workspace_exports (expires_at);

-- The ledger of the installation that a workspace was imported from, as it was signed there.
create table workspace_histories (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- The oldest first.
  place int not null,
  chain text not null,
  public_key text not null,
  entries bigint not null,
  last_seq bigint not null,
  last_hash text not null,
  created timestamptz(3) not null
);

create unique index workspace_histories__place on workspace_histories (workspace_id, place);

-- Files of exports and histories, in pieces, so that a large one is written and read with little memory.
create table workspace_file_pieces (
  workspace_id text not null references workspaces (id) on delete cascade,
  file_id text not null,
  place int not null,
  bytes bytea not null,
  primary key (file_id, place)
);

create index workspace_file_pieces__workspace_id on workspace_file_pieces (workspace_id);
alter table workspace_file_pieces alter column bytes set storage external;

-- Users that an import made for people who had no account here; whoever proves the address becomes that user.
create table placeholders (
  user_id text primary key references users (id) on delete cascade,
  workspace_id text not null,
  -- In lower case; null where nobody can claim it.
  address text,
  created timestamptz(3) not null
);

create index placeholders__address on placeholders (address);
create index placeholders__workspace_id on placeholders (workspace_id);
