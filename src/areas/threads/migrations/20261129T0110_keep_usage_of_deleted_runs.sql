-- A thread can be deleted, with its runs; what they used was used. Tokens are metered on the day on which a run ends.

create index agent_runs__ended on agent_runs (ended) where ended is not null;

create function keep_usage_of_deleted_runs() returns trigger language plpgsql as $$
begin
  perform keep_deleted_usage(used.workspace_id, used.hour, used.dimension, used.quantity)
  from (
    select g.workspace_id, date_trunc('hour', g.at, 'UTC') as hour, g.dimension, sum(g.quantity) as quantity
    from (
      select workspace_id, created as at, 'agent_runs' as dimension, 1::numeric as quantity from gone
      union all
      select workspace_id, ended, 'agent_tokens',
        coalesce((usage ->> 'in')::numeric, 0) + coalesce((usage ->> 'out')::numeric, 0)
      from gone where ended is not null
      union all
      select workspace_id, created, 'agent_cost', coalesce((usage ->> 'cost')::numeric, 0) from gone
    ) g group by 1, 2, 3 order by 1, 2, 3
  ) used;
  return null;
end $$;

create trigger keep_usage_of_deleted_runs after delete on agent_runs referencing old table as gone
for each statement execute function keep_usage_of_deleted_runs();
