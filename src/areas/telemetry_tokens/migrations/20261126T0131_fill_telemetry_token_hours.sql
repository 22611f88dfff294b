-- What came before is known by the day alone: it stands in the first hour of its day, without signal and dataset.
insert into telemetry_token_hours (token_id, hour, signal, dataset, bytes, accepted, rejected)
select token_id, day, '', '', bytes, accepted, rejected from telemetry_token_days;
