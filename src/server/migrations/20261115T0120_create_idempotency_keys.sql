-- Answers to POSTs that may be sent again; encrypted, kept for 24 hours, written in the transaction of the change.

create table idempotency_keys (
  id text primary key,
  body_hash text not null,
  answer text,
  created timestamptz(3) not null
);

create index idempotency_keys__created on idempotency_keys (created);
