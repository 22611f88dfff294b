-- A member is a user, so the tie to the member is the tie to the user too, and one index serves both. Most keys belong
-- to no team and to no application: an index need not hold them.

alter table api_keys drop constraint api_keys_owner_user_id_fkey;
drop index api_keys__owner_user_id;
drop index api_keys__workspace_id_owner_user_id;
create index api_keys__owner_user_id on api_keys (owner_user_id, workspace_id);

drop index api_keys__owner_team_id;
create index api_keys__owner_team_id on api_keys (owner_team_id) where owner_team_id is not null;
