-- A token can be deleted; what was sent by it still counts. Its days go with it, so they are read before.

create function keep_usage_of_deleted_token() returns trigger language plpgsql as $$
begin
  perform keep_deleted_usage(old.workspace_id, day, 'telemetry_bytes', bytes)
  from telemetry_token_days where token_id = old.id order by day;
  return old;
end $$;

create trigger keep_usage_of_deleted_token before delete on telemetry_tokens
for each row execute function keep_usage_of_deleted_token();
