-- Taking back a change of address must also shut out whoever set a new password in the meantime.

alter table users add column password_changed timestamptz(3);
