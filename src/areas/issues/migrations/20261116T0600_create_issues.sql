-- Issues: one problem, once. What alerts count stands apart, so that a storm changes one narrow row and no index of words.

-- The last number that was given, by workspace; whoever makes an issue holds this row, so that numbers have no gaps.
create table issue_counters (
  workspace_id text primary key references workspaces (id) on delete cascade,
  last_number integer not null
);

create table issues (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  number integer not null,
  title text not null,
  body text,
  severity text not null,
  severity_rank smallint not null generated always as (
    case severity when 'critical' then 5 when 'high' then 4 when 'medium' then 3 when 'low' then 2 else 1 end) stored,
  -- The worst that alerts have said: only what is worse than that is a rise.
  alert_severity text,
  status text not null,
  source_type text not null,
  source_external_ref text,
  source_url text,
  fingerprint text,
  -- Of all issues with a fingerprint, the one that its alerts go to.
  is_current boolean not null default false,
  correlation_key text,
  assignee_user_id text,
  assignee_team_id text,
  assignee text generated always as (coalesce(assignee_user_id, assignee_team_id)) stored,
  team_id text,
  resources text[] not null default '{}',
  duplicate_of_id text,
  -- What a merged issue was, for the split.
  before_merge jsonb,
  recurrence_of_id text,
  dismiss_reason text,
  snoozed_until timestamptz(3),
  -- When it was made, or reopened: what the time to resolve counts from.
  opened_at timestamptz(3) not null,
  triaged_at timestamptz(3),
  mitigated_at timestamptz(3),
  closed_at timestamptz(3),
  resolved_at timestamptz(3),
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(title, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(title || ' ' || left(coalesce(body, ''), 20000), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index issues__number on issues (workspace_id, number);
create unique index issues__current on issues (workspace_id, fingerprint) where is_current;
-- Filters compare texts.
create index issues__number_text on issues (workspace_id, (number::text));
create index issues__fingerprint on issues (workspace_id, fingerprint) where fingerprint is not null;
create index issues__created on issues (workspace_id, created, id);
create index issues__updated on issues (workspace_id, updated, id);
create index issues__status on issues (workspace_id, status, created, id);
create index issues__title on issues (workspace_id, title, id);
create index issues__severity on issues (workspace_id, severity_rank, id);
create index issues__assignee on issues (workspace_id, assignee, created, id) where assignee is not null;
create index issues__assignee_user_id on issues (workspace_id, assignee_user_id) where assignee_user_id is not null;
create index issues__assignee_team_id on issues (workspace_id, assignee_team_id) where assignee_team_id is not null;
create index issues__team_id on issues (workspace_id, team_id) where team_id is not null;
create index issues__correlation_key on issues (workspace_id, correlation_key) where correlation_key is not null;
create index issues__duplicate_of_id on issues (workspace_id, duplicate_of_id) where duplicate_of_id is not null;
create index issues__recurrence_of_id on issues (workspace_id, recurrence_of_id) where recurrence_of_id is not null;
create index issues__owner_id on issues (owner_id);
create index issues__resources on issues using gin (resources);
create index issues__search on issues using gin (search);

-- How often and when an issue occurred, with all that was merged into it.
create table issue_activity (
  issue_id text primary key references issues (id) on delete cascade,
  workspace_id text not null,
  occurrences bigint not null,
  first_seen timestamptz(3),
  last_seen timestamptz(3)
) with (fillfactor = 80);

create index issue_activity__last_seen on issue_activity (workspace_id, last_seen, issue_id);

-- Occurrences by minute. They are those of `origin_id` for ever, and are shown on `issue_id`, into which it may be merged.
-- An issue gives back what was merged into it before it goes: one foreign key is enough. Each costs a look per alert.
create table issue_occurrences (
  origin_id text not null references issues (id) on delete cascade,
  minute timestamptz(3) not null,
  issue_id text not null,
  count bigint not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  primary key (origin_id, minute)
) with (fillfactor = 80);

create index issue_occurrences__issue_id on issue_occurrences (issue_id, minute);

-- What happened, in the order in which it was written. As with occurrences, an entry stays that of its origin.
create table issue_timeline (
  id text primary key,
  seq bigint generated always as identity,
  workspace_id text not null,
  issue_id text not null,
  origin_id text not null references issues (id) on delete cascade,
  at timestamptz(3) not null,
  type text not null,
  actor_type text not null,
  actor_user_id text,
  actor_team_id text,
  actor_client_id text,
  about_user_id text,
  about_team_id text,
  text text,
  milestone text,
  data jsonb not null default '{}',
  edited timestamptz(3)
);

create index issue_timeline__issue_id on issue_timeline (issue_id, at, seq);
create index issue_timeline__origin_id on issue_timeline (origin_id);
-- Of all rows, since it also serves the end of a workspace.
create index issue_timeline__actor_user_id on issue_timeline (workspace_id, actor_user_id);
create index issue_timeline__actor_team_id on issue_timeline (workspace_id, actor_team_id) where actor_team_id is not null;
create index issue_timeline__actor_client_id on issue_timeline (workspace_id, actor_client_id) where actor_client_id is not null;
create index issue_timeline__about_user_id on issue_timeline (workspace_id, about_user_id) where about_user_id is not null;
create index issue_timeline__about_team_id on issue_timeline (workspace_id, about_team_id) where about_team_id is not null;
