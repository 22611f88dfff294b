-- Opinions on records of any kind: one for each rater and record.

create table ratings (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  object text not null,
  record_id text not null,
  -- A user, a key, a client, a run, or `ext:` and the hash of what an application calls its user.
  rater text not null,
  rater_user_id text generated always as (case when rater like 'usr\_%' then rater end) stored
    references users (id) on delete cascade,
  -- The credential that it was given with: of what an application rated for its users, the application may take back.
  credential text not null,
  value int not null,
  reason text,
  comment text,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index ratings__rater on ratings (workspace_id, object, record_id, rater);
create index ratings__value on ratings (workspace_id, object, record_id, value);
create index ratings__rater_user_id on ratings (rater_user_id);
