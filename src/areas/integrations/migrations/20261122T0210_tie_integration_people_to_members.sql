-- A link between a member and an account elsewhere ends with the membership, and a member has one per integration. Nothing has written such rows yet.

alter table integration_people add column workspace_id text not null;

alter table integration_people add constraint integration_people__member foreign key (workspace_id, user_id)
  references workspace_members (workspace_id, user_id) on delete cascade;

create index integration_people__member on integration_people (workspace_id, user_id);
create unique index integration_people__user on integration_people (integration_id, user_id);
