-- A change of plan charges what was used before it within a period: what comes after is charged from there on.

alter table billing_accounts add column usage_until timestamptz(3);
