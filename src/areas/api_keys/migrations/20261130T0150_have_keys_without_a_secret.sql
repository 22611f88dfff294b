-- A key that came with an import opens nothing until it is rotated: it has no secret yet, and so nothing to tell it by.
alter table api_keys alter column hint drop not null;
