-- An automation can be deleted, with its executions; that they ran still counts.

create function keep_usage_of_deleted_executions() returns trigger language plpgsql as $$
begin
  perform keep_deleted_usage(used.workspace_id, used.hour, 'automation_runs', used.quantity)
  from (
    select workspace_id, date_trunc('hour', created, 'UTC') as hour, count(*)::numeric as quantity
    from gone where status <> 'skipped' group by 1, 2 order by 1, 2
  ) used;
  return null;
end $$;

create trigger keep_usage_of_deleted_executions after delete on automation_executions referencing old table as gone
for each statement execute function keep_usage_of_deleted_executions();
