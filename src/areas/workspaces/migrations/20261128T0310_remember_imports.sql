-- When a workspace came from elsewhere: what was done there before is neither limited nor billed here.
alter table workspaces add column imported timestamptz(3);
