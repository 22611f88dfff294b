-- A rotated key says until when its old secret works, without reading the secrets for each row of a list.
alter table api_keys add column old_secret_until timestamptz(3);
