-- Autofixes: patches with what git says of them, and who approved them.

create table autofixes (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  owner_id text not null,
  title text not null,
  description text,
  repository_id text,
  base_ref text not null,
  base_sha text not null,
  patch text not null,
  patch_sha256 text not null,
  -- As git tells patches apart, whatever lines they stand at; null where the patch does not apply.
  patch_mark text,
  files jsonb not null,
  origin text not null,
  issue_id text,
  thread_id text,
  -- The run that made it, and its thread: only that thread's runs change it. Never shown where the thread is private.
  run_id text,
  run_thread_id text,
  status text not null,
  check_state text not null,
  checked jsonb not null,
  branch text,
  commit_sha text,
  -- What the commit was made from, so that it can be made again.
  commit_parts jsonb,
  commit_author_id text,
  pushed_at timestamptz(3),
  pull_request_url text,
  merged_sha text,
  close_reason text,
  close_note text,
  search tsvector generated always as (
    setweight(to_tsvector('simple', translate(title, '<>', '  ')), 'A') ||
    setweight(to_tsvector('english', translate(title || ' ' || left(coalesce(description, ''), 20000), '<>', '  ')), 'B')) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index autofixes__created on autofixes (workspace_id, created, id);
create index autofixes__updated on autofixes (workspace_id, updated, id);
create index autofixes__title on autofixes (workspace_id, title, id);
create index autofixes__status on autofixes (workspace_id, status, id);
create index autofixes__repository_id on autofixes (workspace_id, repository_id, status);
create index autofixes__issue_id on autofixes (workspace_id, issue_id) where issue_id is not null;
create index autofixes__thread_id on autofixes (workspace_id, thread_id) where thread_id is not null;
create index autofixes__run_thread_id on autofixes (workspace_id, run_thread_id) where run_thread_id is not null;
create index autofixes__commit_author_id on autofixes (workspace_id, commit_author_id) where commit_author_id is not null;
create index autofixes__owner_id on autofixes (owner_id);
create index autofixes__search on autofixes using gin (search);

-- An approval ends with the membership of whoever gave it.
create table autofix_approvals (
  workspace_id text not null,
  autofix_id text not null references autofixes (id) on delete cascade,
  user_id text not null,
  at timestamptz(3) not null,
  primary key (autofix_id, user_id),
  constraint autofix_approvals__member foreign key (workspace_id, user_id)
    references workspace_members (workspace_id, user_id) on delete cascade
);

create index autofix_approvals__member on autofix_approvals (workspace_id, user_id);

-- Without its repository nothing can become of it.
create function fail_autofix() returns trigger language plpgsql as $$
begin
  new.status := 'failed';
  new.close_reason := 'repository_deleted';
  return new;
end $$;

create trigger autofixes__repository_gone before update of repository_id on autofixes for each row
  when (new.repository_id is null and old.repository_id is not null and old.status in ('draft', 'proposed', 'approved'))
  execute function fail_autofix();
