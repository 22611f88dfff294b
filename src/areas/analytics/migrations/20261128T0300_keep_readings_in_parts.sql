-- An import is read with all its open issues: they stand in several rows. Nothing asks any more which issues were merged.
alter table analytics_readings add column part integer not null default 0;
alter table analytics_readings drop constraint analytics_readings_pkey;
alter table analytics_readings add primary key (workspace_id, seq, part);
drop index analytics_states__duplicate_of_id;
