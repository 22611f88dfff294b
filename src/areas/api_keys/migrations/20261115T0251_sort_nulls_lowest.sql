-- Lists sort nulls lowest both ways; only an index that does so too gives a page without sorting the whole workspace.

drop index api_keys__created;
drop index api_keys__updated;
drop index api_keys__name;
drop index api_keys__owner_id;
drop index api_keys__last_active;
drop index api_keys__workspace_id_id;
create index api_keys__created on api_keys (workspace_id, created nulls first, id);
create index api_keys__updated on api_keys (workspace_id, updated nulls first, id);
create index api_keys__name on api_keys (workspace_id, name nulls first, id);
create index api_keys__owner_id on api_keys (workspace_id, owner_id nulls first, id);
create index api_keys__last_active on api_keys (workspace_id, last_active nulls first, id);
create index api_keys__workspace_id_id on api_keys (workspace_id, id nulls first);
