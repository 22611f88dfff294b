-- Stripe goes on charging for a workspace that is gone until it is told: what to end there outlives the workspace.

create table subscriptions_to_end (
  stripe_subscription text primary key,
  created timestamptz(3) not null default now()
);

create function end_subscription_of_gone_workspace() returns trigger language plpgsql as $$
begin
  insert into subscriptions_to_end (stripe_subscription) values (old.stripe_subscription) on conflict do nothing;
  return old;
end $$;

create trigger end_subscription_of_gone_workspace before delete on subscriptions
for each row when (old.stripe_subscription is not null) execute function end_subscription_of_gone_workspace();
