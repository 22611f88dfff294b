-- One entry may tell of very many issues: a workspace is imported with all that it has open.
alter table analytics_facts alter column place type integer;
