-- Where a chain begins after old entries were pruned: signed, so that pruning cannot hide a removal.

create table ledger_checkpoints (
  chain text primary key,
  seq bigint not null,
  hash text not null,
  signature text not null,
  created timestamptz(3) not null
);
