-- A consent goes with the membership that it was given under, also where both happen at the same moment.

alter table oauth_grants add constraint oauth_grants__member foreign key (workspace_id, user_id)
  references workspace_members (workspace_id, user_id) on delete cascade;
create index oauth_grants__workspace_id_user_id on oauth_grants (workspace_id, user_id);
drop index oauth_grants__workspace_id;
