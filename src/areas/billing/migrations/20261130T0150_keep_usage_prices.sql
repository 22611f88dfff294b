-- What usage of the period is charged by: what was used is not charged by what the file of plans says later.

alter table billing_accounts add column usage_prices jsonb;
