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

-- Half an hour after a change that has to reach people, a job looks whom it did not reach.
create or replace function check_reach() returns trigger language plpgsql as $$
begin
  perform enqueue_job('check_reach', jsonb_build_object('change', new.id), priority => 1,
    run_at => now() + interval '30 minutes');
  return null;
end $$;
create or replace trigger event_changes_reach after insert on event_changes for each row
  when (new.kind = 'cancelled' or new.before ?| array['start_time', 'end_time', 'location_name'])
  execute function check_reach();
