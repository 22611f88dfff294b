-- What the ledger adds up to: each thing that was counted, its hourly sums, and what the counting has to remember.

-- How far the ledger of a workspace has been counted.
create table analytics_places (
  workspace_id text primary key references workspaces (id) on delete cascade,
  seq bigint not null,
  updated timestamptz(3) not null
);

-- What the ledger does not say is read from the record once and kept here, so that counting again gives the same.
create table analytics_readings (
  workspace_id text not null references workspaces (id) on delete cascade,
  seq bigint not null,
  reading jsonb not null,
  primary key (workspace_id, seq)
);

-- Records as they were when they were counted last.
create table analytics_states (
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  fields jsonb not null,
  primary key (workspace_id, object, record_id)
);

-- Issues that come back with the one they were merged into.
create index analytics_states__duplicate_of_id on analytics_states (workspace_id, (fields ->> 'duplicateOfId'))
  where fields ->> 'duplicateOfId' is not null;

-- One row for each thing that a metric counts, with the entry of the ledger that told of it. `weight` is how often it
-- counts: below zero where a number goes down. Numbers are exact, whatever order they are added in. `spread` is the value
-- once more where the middle of many is asked for, or who did it where people are counted.
create table analytics_facts (
  workspace_id text not null references workspaces (id) on delete cascade,
  metric text not null,
  at timestamptz(3) not null,
  seq bigint not null,
  place smallint not null,
  weight integer not null,
  value numeric not null,
  spread text,
  dims jsonb not null,
  primary key (workspace_id, metric, seq, place)
);

create index analytics_facts__at on analytics_facts (workspace_id, metric, at, seq);

-- What an hour holds in one text: values, or who did something, each once with how often: `1.5 20*3 u7h2k9x0q1a`. Of more
-- than 256 values three digits are kept, so that no row grows without end. The same whatever order they come in.
create function analytics_spread(given text) returns text language sql immutable strict parallel safe as $$
  with said as (
    select split_part(token, '*', 1) as said, coalesce(nullif(split_part(token, '*', 2), ''), '1')::bigint as times
    from unnest(string_to_array(given, ' ')) token
  ), long as (select sum(times) > 256 as is_long from said where said not like 'u%'),
  counted as (
    select case when is_long and said not like 'u%' and said::numeric <> 0
        then trim_scale(round(said::numeric, 2 - floor(log(abs(said::numeric)))::int))::text else said end as said,
      sum(times) as times
    from said cross join long group by 1
  )
  select string_agg(said || case when times > 1 then '*' || times else '' end, ' ' order by said collate "C") from counted
$$;

-- The same by the hour. `key` stands for the dimensions, which may be too long for an index.
create table analytics_hours (
  workspace_id text not null references workspaces (id) on delete cascade,
  metric text not null,
  hour timestamptz(3) not null,
  key text not null,
  weight bigint not null,
  value numeric not null,
  spread text,
  dims jsonb not null,
  primary key (workspace_id, metric, hour, key)
);
