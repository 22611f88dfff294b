-- The tools that the skills a run follows leave it; null where none of them names any.
alter table agent_runs add column allowed_tools text[];
