-- How many keys a workspace has, as changes: counting a million rows would read them all, and one row that every new
-- key must lock would make writers wait for each other. A job sums the changes up; their sum is exact at any moment.

create table api_key_counts (
  workspace_id text not null,
  change bigint not null
);

create index api_key_counts__workspace_id on api_key_counts (workspace_id) include (change);

insert into api_key_counts (workspace_id, change) select workspace_id, count(*) from api_keys group by workspace_id;

create function count_api_keys() returns trigger language plpgsql as $$
begin
  insert into api_key_counts (workspace_id, change)
  select workspace_id, case tg_op when 'INSERT' then count(*) else -count(*) end from changed group by workspace_id;
  return null;
end $$;

create trigger api_keys__count_more after insert on api_keys referencing new table as changed
  for each statement execute function count_api_keys();
create trigger api_keys__count_fewer after delete on api_keys referencing old table as changed
  for each statement execute function count_api_keys();
