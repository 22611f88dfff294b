-- Metering reads the runs of one day, of all workspaces.
create index agent_runs__created on agent_runs (created);
