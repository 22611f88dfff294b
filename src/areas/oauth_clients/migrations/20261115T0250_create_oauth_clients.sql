-- Applications that act for users: who they are, what each user let them do, and what the protocol must remember.

-- Without a workspace: the command line, and clients that registered or described themselves.
create table oauth_clients (
  id text primary key,
  workspace_id text references workspaces (id) on delete cascade,
  name text not null,
  description text,
  contact_email text,
  type text not null,
  secret_hash text,
  redirect_uris text[] not null,
  scopes text[],
  grants text[] not null,
  logo_url text,
  website_url text,
  privacy_policy_url text,
  terms_of_service_url text,
  is_active boolean not null default true,
  origin text not null,
  last_used_at timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index oauth_clients__workspace_id_id on oauth_clients (workspace_id, id);
create index oauth_clients__name on oauth_clients (workspace_id, name, id);
create index oauth_clients__created on oauth_clients (workspace_id, created, id);
create index oauth_clients__updated on oauth_clients (workspace_id, updated, id);
create index oauth_clients__last_used_at on oauth_clients (workspace_id, last_used_at, id);
create index oauth_clients__origin on oauth_clients (origin, created);

insert into oauth_clients (id, name, type, redirect_uris, grants, origin, created, updated)
values ('atrium-cli', 'Atrium command line', 'public',
  '{http://127.0.0.1/callback,http://[::1]/callback,http://localhost/callback}', '{code,refresh,device}', 'builtin',
  now(), now());

-- One consent of one user: its deletion ends every token and key that came of it.
create table oauth_grants (
  id text primary key,
  client_id text not null references oauth_clients (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  workspace_id text references workspaces (id) on delete cascade,
  scopes text[] not null,
  scope_use jsonb not null default '{}',
  payload jsonb not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index oauth_grants__user_id on oauth_grants (user_id, created, id);
create index oauth_grants__client_id on oauth_grants (client_id, created, id);
create index oauth_grants__workspace_id on oauth_grants (workspace_id);
create index oauth_grants__expires_at on oauth_grants (expires_at);

-- Tokens, codes and pending authorizations by the hash of their secret; no column holds the secret itself.
create table oauth_objects (
  id text primary key,
  kind text not null,
  payload jsonb not null,
  grant_id text references oauth_grants (id) on delete cascade,
  session_id text references sessions (id) on delete cascade,
  uid text,
  user_code text,
  resource text,
  scopes text[],
  consumed_at timestamptz(3),
  expires timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index oauth_objects__grant_id on oauth_objects (grant_id);
create index oauth_objects__session_id on oauth_objects (session_id);
create index oauth_objects__uid on oauth_objects (uid) where uid is not null;
create index oauth_objects__user_code on oauth_objects (user_code) where user_code is not null;
create index oauth_objects__expires on oauth_objects (expires);
