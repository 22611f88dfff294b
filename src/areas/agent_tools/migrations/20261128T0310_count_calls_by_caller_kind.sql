-- Figures of calls are asked for by the kind of agent too; of what was counted before it is not known.
alter table agent_tool_hours add column caller_kind text not null default 'none';
alter table agent_tool_hours drop constraint agent_tool_hours_pkey;
alter table agent_tool_hours add primary key (workspace_id, tool, hour, caller_kind);
