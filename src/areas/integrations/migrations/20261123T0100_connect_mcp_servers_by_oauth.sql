-- MCP servers that a person connects in a browser: who is on the way there, and what they came back with.

create table integration_oauth_starts (
  -- The hash of the state that the browser carries.
  id text primary key,
  integration_id text not null references integrations (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null,
  -- Of the MCP server.
  url text not null,
  issuer text not null,
  redirect_uri text not null,
  client_id text not null,
  -- The platform made itself known there; else the client stands in the configuration, with its secret.
  is_registered boolean not null,
  client_until timestamptz(3),
  discovered jsonb not null,
  secrets jsonb not null,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  constraint integration_oauth_starts__member foreign key (workspace_id, user_id)
    references workspace_members (workspace_id, user_id) on delete cascade
);

create index integration_oauth_starts__integration_id on integration_oauth_starts (integration_id);
create index integration_oauth_starts__member on integration_oauth_starts (workspace_id, user_id);
create index integration_oauth_starts__expires_at on integration_oauth_starts (expires_at);

-- What a person gave ends with their membership.
create table integration_oauth_grants (
  -- One for each integration, under its id.
  id text primary key references integrations (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null,
  -- Of the MCP server: its tokens go nowhere else.
  url text not null,
  issuer text not null,
  redirect_uri text not null,
  client_id text not null,
  is_registered boolean not null,
  client_until timestamptz(3),
  discovered jsonb not null,
  secrets jsonb not null,
  scope text,
  expires_at timestamptz(3),
  -- Somebody renews the tokens until then: a refresh token may be good for one use.
  refreshing_until timestamptz(3),
  needs_consent boolean not null default false,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  constraint integration_oauth_grants__member foreign key (workspace_id, user_id)
    references workspace_members (workspace_id, user_id) on delete cascade
);

create index integration_oauth_grants__member on integration_oauth_grants (workspace_id, user_id);
