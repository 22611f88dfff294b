-- Files of messages. One is uploaded first and put into a message then.
create table message_files (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- Null until a message holds it.
  message_id text references messages (id) on delete cascade,
  -- A hash of whose upload it is, for they alone may use it; null once it is in a message.
  uploader text,
  name text not null,
  mime_type text not null,
  size int not null,
  sha256 text not null,
  -- An upload that no message holds goes then.
  expires timestamptz(3)
);

create index message_files__message_id on message_files (message_id) where message_id is not null;
create index message_files__uploader on message_files (uploader) where uploader is not null;
create index message_files__expires on message_files (expires) where expires is not null;
create index message_files__workspace_id on message_files (workspace_id);

create trigger message_files__hold after insert on message_files
  referencing new table as changed for each statement execute function count_blob_holders();
create trigger message_files__release after delete on message_files
  referencing old table as changed for each statement execute function count_blob_holders();
