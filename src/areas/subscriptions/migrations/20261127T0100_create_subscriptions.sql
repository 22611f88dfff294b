-- Subscriptions: what a workspace has committed to, and when that changes by itself. None: the plan that costs nothing.

create table subscriptions (
  workspace_id text primary key references workspaces (id) on delete cascade,
  plan text not null,
  cycle text not null,
  seats integer not null,
  status text not null,
  -- Periods are counted from here, so that a short month does not make all later ones short.
  anchor timestamptz(3),
  period_from timestamptz(3),
  period_to timestamptz(3),
  trial_end timestamptz(3),
  cancel_at timestamptz(3),
  next jsonb,
  past_due_since timestamptz(3),
  stripe_subscription text constraint subscriptions__stripe_subscription unique,
  stripe_item text,
  -- When the provider was last asked: an answer that was asked for earlier is older.
  mirrored_at timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null
);

create index subscriptions__period_to on subscriptions (period_to) where period_to is not null;
create index subscriptions__status on subscriptions (status) where status = 'past_due';
