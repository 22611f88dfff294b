-- Rules over alerts, how often each matched, and the alerts of the last week, on which a rule can be tried.

create table issue_rules (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  name text not null,
  enabled boolean not null,
  position integer not null,
  "when" text not null,
  fingerprint text[],
  correlate text,
  severity text,
  assignee_user_id text,
  assignee_team_id text,
  add_labels text[] not null default '{}',
  suppress boolean not null default false,
  threshold_count integer,
  threshold_seconds integer,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index issue_rules__position on issue_rules (workspace_id, position, id);
create index issue_rules__owner_id on issue_rules (owner_id);

create table issue_rule_matches (
  rule_id text not null references issue_rules (id) on delete cascade,
  hour timestamptz(3) not null,
  count bigint not null,
  last_at timestamptz(3) not null,
  primary key (rule_id, hour)
);

create index issue_rule_matches__hour on issue_rule_matches (hour);

create table issue_alerts (
  seq bigint generated always as identity,
  workspace_id text not null,
  received timestamptz(3) not null,
  at timestamptz(3) not null,
  fingerprint text,
  action text not null,
  alert jsonb not null,
  primary key (workspace_id, seq)
);

create index issue_alerts__fingerprint on issue_alerts (workspace_id, fingerprint, received) where fingerprint is not null;
-- They come in the order of their time: a range of blocks says enough, and costs next to nothing to keep.
create index issue_alerts__age on issue_alerts using brin (received) with (autosummarize = on);

-- They go with their workspace as by a foreign key, whose check would take half the time of keeping a hundred alerts.
-- Whoever sends alerts holds the workspace, so that none comes after its end.
create function forget_issue_alerts() returns trigger language plpgsql as $$
begin
  delete from issue_alerts a using gone where a.workspace_id = gone.id;
  return null;
end $$;

create trigger issue_alerts__forget after delete on workspaces referencing old table as gone
  for each statement execute function forget_issue_alerts();
