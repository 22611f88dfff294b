-- Billing: who pays, what was used day by day, what was invoiced, and what a provider has told.

create table billing_accounts (
  workspace_id text primary key references workspaces (id) on delete cascade,
  email text,
  legal_name text,
  address text,
  tax_id text,
  currency text not null,
  balance_minor bigint not null default 0,
  spend_cap_minor bigint,
  -- Numbers of invoices are the prefix and a count, which grows with the row locked: there is no gap.
  number_prefix text not null constraint billing_accounts__number_prefix unique,
  last_number integer not null default 0,
  stripe_customer text constraint billing_accounts__stripe_customer unique,
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create table invoices (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  number text not null,
  provider text not null,
  -- The provider's own id, where it made the invoice.
  external_id text constraint invoices__external_id unique,
  status text not null,
  currency text not null,
  period_from timestamptz(3) not null,
  period_to timestamptz(3) not null,
  lines jsonb not null,
  subtotal_minor bigint not null,
  tax_basis_points integer not null,
  tax_minor bigint not null,
  balance_minor bigint not null,
  total_minor bigint not null check (total_minor >= 0),
  buyer jsonb not null,
  issuer jsonb not null,
  due_at timestamptz(3),
  paid_at timestamptz(3),
  reference text,
  url text,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  constraint invoices__number unique (workspace_id, number),
  check (subtotal_minor + tax_minor - balance_minor = total_minor)
);

create index invoices__created on invoices (workspace_id, created, id);
create index invoices__due_at on invoices (workspace_id, due_at) where status = 'open';

create index invoices__updated on invoices (updated) where status = 'open' and provider = 'custom';

-- What an invoice says stays as it is: only whether and how it was paid changes.
create function keep_invoice() returns trigger language plpgsql as $$
begin
  if (to_jsonb(new) - array['status', 'paid_at', 'reference', 'url', 'updated'])
     is distinct from (to_jsonb(old) - array['status', 'paid_at', 'reference', 'url', 'updated']) then
    raise exception 'an invoice cannot be changed';
  end if;
  return new;
end $$;

create trigger keep_invoice before update on invoices for each row execute function keep_invoice();

-- A day in UTC. Closed days do not change any more; the ledger has an entry with the same quantities.
create table billing_usage (
  workspace_id text not null references workspaces (id) on delete cascade,
  day timestamptz(3) not null,
  dimension text not null,
  quantity bigint not null,
  is_closed boolean not null default false,
  primary key (workspace_id, day, dimension)
);

-- What a provider has sent: the second time it is known. Kept longer than any provider tries again.
create table billing_events (
  id text primary key,
  provider text not null,
  workspace_id text references workspaces (id) on delete cascade,
  type text not null,
  received timestamptz(3) not null
);

create index billing_events__received on billing_events (received);
create index billing_events__workspace_id on billing_events (workspace_id);
