-- Where a skill was imported from a repository: it follows that at each sync.
alter table skills add column repository_id text references repositories (id) on delete set null;
alter table skills add column repository_path text;
alter table skills add column repository_ref text;
-- The id of the folder in git when it was last looked at: where it is the same, nothing is read.
alter table skills add column repository_tree text;
alter table skills add column follow_error text;

create index skills__repository_id on skills (repository_id) where repository_id is not null;
