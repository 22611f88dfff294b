-- Pages: what was published, by whom, and until when. What they say stands apart, and goes 30 days after they end.

create table pages (
  id text primary key,
  -- Stands for the page where its id, which opens it, must not be written down.
  number bigint generated always as identity,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  kind text not null,
  title text not null,
  visibility text not null,
  sha256 text not null,
  bytes integer not null,
  redactions integer not null,
  expires_at timestamptz(3),
  deleted timestamptz(3),
  -- From then on it cannot be read.
  hidden_from timestamptz(3) generated always as (least(expires_at, deleted)) stored,
  created_user_id text,
  created_team_id text,
  deleted_user_id text,
  deleted_team_id text,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(title, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(title, '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index pages__number on pages (number);
create index pages__created on pages (workspace_id, created, id);
create index pages__updated on pages (workspace_id, updated, id);
create index pages__title on pages (workspace_id, title, id);
create index pages__owner_id on pages (owner_id);
create index pages__created_user_id on pages (workspace_id, created_user_id) where created_user_id is not null;
create index pages__created_team_id on pages (workspace_id, created_team_id) where created_team_id is not null;
create index pages__deleted_user_id on pages (workspace_id, deleted_user_id) where deleted_user_id is not null;
create index pages__deleted_team_id on pages (workspace_id, deleted_team_id) where deleted_team_id is not null;
create index pages__search on pages using gin (search);

create table page_contents (
  page_id text primary key references pages (id) on delete cascade,
  html text not null,
  markdown text not null,
  json text not null,
  purge_at timestamptz(3)
);

create index page_contents__purge_at on page_contents (purge_at);

create table page_views (
  page_id text primary key references pages (id) on delete cascade,
  views bigint not null,
  last_viewed_at timestamptz(3) not null
) with (fillfactor = 80);

-- What a page was rendered from, as long as that is there.
create table page_sources (
  page_id text not null references pages (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  primary key (page_id, object, record_id)
);

create index page_sources__record_id on page_sources (workspace_id, object, record_id);
