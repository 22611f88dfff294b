-- How often agents were given a memory, by the hour: a sum alone does not say when.
create table memory_use_hours (
  memory_id text not null references memories (id) on delete cascade,
  hour timestamptz(3) not null,
  uses integer not null,
  primary key (memory_id, hour)
);

create index memory_use_hours__hour on memory_use_hours (hour);
