-- Where mails are kept while no mail server is configured, so that a newcomer can read the code on /dev/mailbox.

create table mailbox (
  number bigint generated always as identity primary key,
  message_id text not null,
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null,
  created timestamptz(3) not null default now()
);

create unique index mailbox__message_id on mailbox (message_id);
