-- Where a memory comes from: the thread in which it was found out, and the messages that say so.

alter table memories add column source_thread_id text;
alter table memories add column source_message_ids text[] not null default '{}';

create index memories__source_thread_id on memories (workspace_id, source_thread_id) where source_thread_id is not null;
create index memories__source_message_ids on memories using gin (source_message_ids);
