-- A foreign key looks up its issue for every row: half the time of counting a hundred alerts. Whoever counts has locked
-- the issues, so none can be counted after its end; the rows go with their issue by a trigger.
alter table issue_occurrences drop constraint issue_occurrences_origin_id_fkey;

create function forget_issue_occurrences() returns trigger language plpgsql as $$
begin
  delete from issue_occurrences o using gone where o.origin_id = gone.id;
  return null;
end $$;

create trigger issue_occurrences__forget after delete on issues referencing old table as gone
  for each statement execute function forget_issue_occurrences();

-- Nearly all are shown on the issue that they came to, and are found by the primary key.
drop index issue_occurrences__issue_id;
create index issue_occurrences__moved on issue_occurrences (issue_id, minute) where issue_id <> origin_id;
