-- Every change is one row here, chained by hash per workspace (or 'instance'), so that what was done can be proven.

create table ledger_heads (
  chain text primary key,
  seq bigint not null,
  previous_hash text not null,
  hash text not null,
  signature text not null
);

-- `entry` is the exact text that was hashed; the other columns are computed from it and cannot disagree with it.
-- `personal` stands outside the hash (the entry holds a salted digest of it), so that it can be erased.
create table ledger (
  chain text not null,
  seq bigint not null,
  id text not null,
  entry text not null,
  personal json,
  previous_hash text not null,
  hash text not null,
  at text not null generated always as ((entry::jsonb) ->> 'at') stored,
  action text not null generated always as ((entry::jsonb) ->> 'action') stored,
  outcome text not null generated always as ((entry::jsonb) ->> 'outcome') stored,
  actor_id text generated always as ((entry::jsonb) -> 'actor' ->> 'id') stored,
  target_object text generated always as ((entry::jsonb) -> 'target' ->> 'object') stored,
  target_id text generated always as ((entry::jsonb) -> 'target' ->> 'id') stored,
  primary key (chain, seq)
);

create unique index ledger__id on ledger (id);
-- Erasing a person looks across chains.
create index ledger__actor_id on ledger (actor_id);
create index ledger__target_id on ledger (target_id);
create index ledger__chain_at on ledger (chain, at, seq);
create index ledger__chain_action on ledger (chain, action, seq);
create index ledger__chain_actor_id on ledger (chain, actor_id, seq);
create index ledger__chain_target_id on ledger (chain, target_id, seq);

-- What must be the same for every process on this database; holds a fingerprint of the secret key, never the key.
create table instance (
  name text primary key,
  value text not null
);
