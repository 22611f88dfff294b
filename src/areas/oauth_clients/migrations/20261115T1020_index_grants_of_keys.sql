-- Most keys were made by no application: an index need not hold them.

drop index api_keys__grant_id;
create index api_keys__grant_id on api_keys (grant_id) where grant_id is not null;
