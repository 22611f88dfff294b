-- How far each follower has read each ledger, who reads it now, and when it may be read again after a failure.
create table ledger_followers (
  follower text not null,
  chain text not null,
  seq bigint not null,
  lease text,
  leased_until timestamptz(3),
  failures int not null default 0,
  retry_at timestamptz(3),
  primary key (follower, chain)
);
