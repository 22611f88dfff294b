-- What a token brought by the hour, signal and dataset: days alone do not say what it was and where it went.

-- `dataset` is where it went then, which may be gone by now; empty where the token had none for the signal.
create table telemetry_token_hours (
  token_id text not null references telemetry_tokens (id) on delete cascade,
  hour timestamptz(3) not null,
  signal text not null,
  dataset text not null,
  bytes bigint not null,
  accepted bigint not null,
  rejected bigint not null,
  primary key (token_id, hour, signal, dataset)
);

create index telemetry_token_hours__hour on telemetry_token_hours (hour);
