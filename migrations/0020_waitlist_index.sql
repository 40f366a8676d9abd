-- Statement by statement.
drop index concurrently if exists answers_waiting;
create unique index concurrently answers_waiting on answers (event_id, place) where answer = 'waiting';
