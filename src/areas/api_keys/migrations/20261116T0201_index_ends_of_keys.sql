-- Once a day the keys are looked for that are about to end.
create index api_keys__expires on api_keys (expires) where expires is not null;
