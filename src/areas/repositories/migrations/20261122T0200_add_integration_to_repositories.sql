-- A repository may be read with the token of an integration instead of credentials of its own.

alter table repositories add column integration_id text;

create index repositories__integration_id on repositories (workspace_id, integration_id) where integration_id is not null;
