-- An hour by one dimension at a time: of a busy workspace hardly two facts agree in all of them, so sums by all of them
-- were as many as the facts, and as slow to read.
drop table analytics_hours;

-- One row for each value that a dimension had in an hour. What has several values is in each of their rows; all of the hour
-- is in the row of the dimension ''. Rows change until their hour is over: with room left on its page, a changed row needs
-- no new place in the index.
create table analytics_hours (
  workspace_id text not null references workspaces (id) on delete cascade,
  metric text not null,
  dimension text not null,
  hour timestamptz(3) not null,
  name text not null,
  weight bigint not null,
  value numeric not null,
  spread text,
  primary key (workspace_id, metric, dimension, hour, name)
) with (fillfactor = 60);

-- As before, but of people it is not said how often: a question may read a million of them.
create or replace function analytics_spread(given text) returns text language sql immutable strict parallel safe as $$
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
  select string_agg(said || case when times > 1 and said not like 'u%' then '*' || times else '' end, ' '
    order by said collate "C") from counted
$$;
