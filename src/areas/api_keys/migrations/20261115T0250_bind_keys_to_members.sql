-- A key or run made at the moment in which its owner leaves must not wait for the owner's return.

alter table api_keys add constraint api_keys__member foreign key (workspace_id, owner_user_id)
  references workspace_members (workspace_id, user_id) on delete cascade;
create index api_keys__workspace_id_owner_user_id on api_keys (workspace_id, owner_user_id);

alter table agent_runs add constraint agent_runs__member foreign key (workspace_id, owner_user_id)
  references workspace_members (workspace_id, user_id) on delete cascade;
create index agent_runs__workspace_id_owner_user_id on agent_runs (workspace_id, owner_user_id);
