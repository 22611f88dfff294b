-- What a run is parked for: the id of an approval, or `answer`; kept until its script goes on to the next step.
alter table agent_runs add column waits_for text;
-- Runners that were lost. One that leaves while people think is not: the run waits for them, and for nobody else.
alter table agent_runs add column lost int not null default 0;
