-- Fills the hours, which are kept by dimension now, from the facts. A fact of before a dimension was counted has none of it.
insert into analytics_hours (workspace_id, metric, dimension, hour, name, weight, value, spread)
with dimensions as (
  select distinct f.metric, d.dimension from analytics_facts f cross join lateral jsonb_object_keys(f.dims) d (dimension)
  -- Counted from now on: no fact has it yet.
  union select 'ratings.score', 'skill'
), parts as (
  select f.workspace_id, f.metric, '' as dimension, f.at, '' as name, f.weight, f.value, f.spread from analytics_facts f
  union all
  select f.workspace_id, f.metric, d.dimension, f.at, left(v.name, 256), f.weight, f.value, f.spread
  from analytics_facts f join dimensions d on d.metric = f.metric
  cross join lateral jsonb_array_elements_text(coalesce(f.dims -> d.dimension, '["none"]')) v (name)
)
select p.workspace_id, p.metric, p.dimension, date_trunc('hour', p.at, 'UTC'), p.name, sum(p.weight), sum(p.value),
  case when sum(p.weight) > 256 or string_agg(p.spread, ' ') like 'u%' then analytics_spread(string_agg(p.spread, ' '))
    else string_agg(p.spread, ' ') end
from parts p group by 1, 2, 3, 4, 5;
