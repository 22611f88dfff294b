-- Mails that are kept here may name people who did something; whoever is erased is found by their id.
alter table mailbox add column names text[] not null default '{}';
