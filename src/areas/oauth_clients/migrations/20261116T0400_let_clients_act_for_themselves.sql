-- A token that a client asked for with its own secret ends with the client, and with that secret.

alter table oauth_objects
  add column client_id text references oauth_clients (id) on delete cascade,
  add column secret_hash text;
create index oauth_objects__client_id on oauth_objects (client_id) where client_id is not null;
