-- A placeholder becomes a person when that person says so: who has, who would rather not, and how far the writing is.
alter table placeholders add column claimed_by text references users (id) on delete set null;
alter table placeholders add column declined timestamptz(3);
-- The table whose rows are being written; all before it are done.
alter table placeholders add column claim_table text;

create index placeholders__claimed_by on placeholders (claimed_by);
