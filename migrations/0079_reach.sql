-- Statement by statement.
-- Repeatable from the start.
set lock_timeout = 400;
-- The events that the text is about, by id. For an email, the number is the `sequence` of the event whose time and place
-- the text states. For the bell it is 0: its rows show the event as it is. No reference, because events may be deleted.
alter table deliveries add column if not exists states jsonb not null default '{}';
drop index concurrently if exists deliveries_states;
create index concurrently deliveries_states on deliveries using gin (states);

-- The events that a notice is about, as `deliveries.states` has them; null without one. Notices about several dates of a
-- series have them in `dates` or `events`.
create or replace function subjects_of(facts jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(id, 0) from (
    select facts ->> 'event_id' as id
    union select each #>> '{}' from jsonb_path_query(facts, '$.dates[*]') as each
    union select each #>> '{}' from jsonb_path_query(facts, '$.events.keyvalue().key') as each) as about
  where id is not null
$$;
