-- Statement by statement.
-- The events of a club in the order of its pages: what is to come by its start, all else by its end. With the start
-- behind it, what is in progress is found without a look at all that is to come.
drop index concurrently if exists events_club_start;
create index concurrently events_club_start on events (owner_club_id, start_time, id);
drop index concurrently if exists events_club_end;
create index concurrently events_club_end on events (owner_club_id, end_time, id, start_time);
drop index concurrently if exists events_club;
