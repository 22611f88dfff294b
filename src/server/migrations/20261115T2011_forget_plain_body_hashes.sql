-- Hashes of bodies were plain, and a body may hold a password; repeats of these requests are refused instead of answered.

update idempotency_keys set body_hash = '', answer = null;
