-- Statement by statement.
call old_attendances_take_times();
drop index concurrently if exists events_times;
create unique index concurrently events_times on events (id, start_time, end_time);
drop index concurrently if exists attendances_plans;
create index concurrently attendances_plans on attendances (user_id, event_start, event_id, event_end);
-- What began long ago and may still go on is found here: it is not much.
drop index concurrently if exists attendances_long;
create index concurrently attendances_long on attendances (user_id, event_end, event_start, event_id)
  where event_end - event_start > interval '24 hours';
drop index concurrently if exists attendances_user;
