-- A charge whose answer was lost is asked for again under the same key: only what was declined begins another attempt.

alter table invoices add column attempt integer not null default 1;

create or replace function keep_invoice() returns trigger language plpgsql as $$
begin
  if (to_jsonb(new) - array['status', 'paid_at', 'reference', 'url', 'updated', 'attempt'])
     is distinct from (to_jsonb(old) - array['status', 'paid_at', 'reference', 'url', 'updated', 'attempt']) then
    raise exception 'an invoice cannot be changed';
  end if;
  return new;
end $$;
