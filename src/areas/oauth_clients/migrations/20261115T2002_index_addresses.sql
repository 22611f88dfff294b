-- Erasing a person looks for their address where an application gave it or a log-in page was asked to fill it in.

create index oauth_clients__contact_email on oauth_clients (lower(contact_email)) where contact_email is not null;
create index oauth_objects__login_hint on oauth_objects (lower(payload -> 'params' ->> 'login_hint'))
  where kind = 'Interaction';
