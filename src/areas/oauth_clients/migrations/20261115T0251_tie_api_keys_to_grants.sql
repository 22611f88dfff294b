-- A key that an application made ends with the consent that the application acts under.

alter table api_keys add column grant_id text references oauth_grants (id) on delete cascade;

create index api_keys__grant_id on api_keys (grant_id);
