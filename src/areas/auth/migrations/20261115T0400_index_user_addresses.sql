-- Deleting an account asks whether anybody else has one of its addresses.

create index users__email on users (lower(email));
create index codes__id on codes (id);
create index email_changes__expires on email_changes (expires);
