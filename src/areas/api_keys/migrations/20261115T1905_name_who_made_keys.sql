-- The credential that made a key may be gone later; the person behind it is still asked for.
alter table api_keys add column created_by_user_id text;
update api_keys set created_by_user_id = owner_id where owner_id like 'usr\_%';
