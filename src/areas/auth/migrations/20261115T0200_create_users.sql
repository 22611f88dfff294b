-- People: an account is pending until its address is proven; only proven addresses are unique.

-- `email` is what the user sees and may be unproven; log-in, reset and invites go by `proven_email`.
create table users (
  id text primary key,
  forename text not null,
  surname text,
  username text,
  email text,
  proven_email text,
  verified_at timestamptz(3),
  password_hash text,
  ref text,
  invite_hash text,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create unique index users__proven_email on users (lower(proven_email));
create unique index users__username on users (lower(username));
create index users__email_pending on users (lower(email)) where verified_at is null;
create index users__created_pending on users (created) where verified_at is null;

create table sessions (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  hash text not null,
  address text,
  user_agent text,
  created timestamptz(3) not null,
  last_used timestamptz(3) not null,
  expires timestamptz(3) not null
);

create unique index sessions__hash on sessions (hash);
create index sessions__user_id on sessions (user_id, last_used);
create index sessions__expires on sessions (expires);

-- One live code per purpose and address; the code itself is never stored.
create table codes (
  purpose text not null,
  address text not null,
  id text not null,
  digest text not null,
  created timestamptz(3) not null,
  expires timestamptz(3) not null,
  primary key (purpose, address)
);

create index codes__expires on codes (expires);

-- Tries at codes and log-ins, and mails sent: counted by one conditional upsert, before anything is judged.
create table tries (
  key text primary key,
  count int not null,
  until timestamptz(3) not null
);

create index tries__until on tries (until);

-- A changed address can be taken back for seven days by whoever holds the old one.
create table email_changes (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  old_email text not null,
  new_email text,
  undo_hash text,
  created timestamptz(3) not null,
  expires timestamptz(3) not null
);

create index email_changes__user_id on email_changes (user_id);
create unique index email_changes__undo_hash on email_changes (undo_hash);

create table notification_settings (
  user_id text primary key references users (id) on delete cascade,
  settings jsonb not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);
