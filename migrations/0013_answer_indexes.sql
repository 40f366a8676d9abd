-- Statement by statement.
drop index concurrently if exists answers_going;
create index concurrently answers_going on answers (event_id, attendee_role, answered_at, user_id) include (guests)
  where answer = 'going';
drop index concurrently if exists answers_times;
create index concurrently answers_times on answers (user_id, event_start, event_id, event_end) include (answer);
drop index concurrently if exists answers_long;
create index concurrently answers_long on answers (user_id, event_end, event_start, event_id) include (answer)
  where event_end - event_start > interval '24 hours';
drop index concurrently if exists answers_by;
create index concurrently answers_by on answers (by_id) where by_id is not null;
drop index concurrently if exists attendances_times;
drop index concurrently if exists attendances_long;
