-- What the platform finds by itself comes as one alert for all that happened in a minute.

alter table issue_alerts add column times bigint not null default 1;
-- When it happened for the last time, where that is later than `at`.
alter table issue_alerts add column last_at timestamptz(3);
