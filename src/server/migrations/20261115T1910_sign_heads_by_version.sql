-- A head whose chain's beginning stands in the instance's chain is signed differently, so that an older one cannot pass for it.

alter table ledger_heads add column version int not null default 1;

-- The start looks for heads that are still to be brought up, which is none after the first time.
create index ledger_heads__version on ledger_heads (chain) where version = 1;
