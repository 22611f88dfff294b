-- Secrets that a workspace's settings hold, such as the key of its model endpoint: name → sealed value.
alter table workspaces add column secrets jsonb not null default '{}';
