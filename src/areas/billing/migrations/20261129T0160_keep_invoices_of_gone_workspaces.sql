-- Records of money stay when a workspace ends, without who the buyer was and what the buyer wrote.

create table kept_invoices (
  id text primary key,
  invoice jsonb not null,
  kept timestamptz(3) not null default now()
);

create function keep_invoice_of_gone_workspace() returns trigger language plpgsql as $$
begin
  insert into kept_invoices (id, invoice) values (old.id, to_jsonb(old) - array['buyer', 'reference', 'url'])
  on conflict (id) do nothing;
  return old;
end $$;

create trigger keep_invoice_of_gone_workspace before delete on invoices
for each row execute function keep_invoice_of_gone_workspace();
