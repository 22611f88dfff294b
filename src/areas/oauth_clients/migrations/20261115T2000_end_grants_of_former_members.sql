-- A consent of somebody who has left the workspace must not work again when they come back.

delete from oauth_grants g where g.workspace_id is not null and not exists (
  select from workspace_members m where m.workspace_id = g.workspace_id and m.user_id = g.user_id);
