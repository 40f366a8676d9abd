-- While true, members are asked which of the times in `event_times` suit them. The event stands at the earliest time that
-- has not passed.
alter table events add column polling boolean not null default false;
