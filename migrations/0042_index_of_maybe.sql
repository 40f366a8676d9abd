-- Statement by statement.
-- Who may come, in the order of their answers: a page of them reads no others.
drop index concurrently if exists answers_maybe;
create index concurrently answers_maybe on answers (event_id, answered_at, user_id) where answer = 'maybe';
