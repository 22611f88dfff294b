-- What the period was charged by: a credit takes back that, and not what the file of plans says by then.

alter table subscriptions add column charged jsonb;
