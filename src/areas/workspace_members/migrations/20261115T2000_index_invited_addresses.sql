-- Erasing a person looks for the invites that were sent to their address.

create index invites__email on invites (lower(email)) where email is not null;
