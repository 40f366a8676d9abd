-- When a member gave the same answer again because the event had changed. The time of the answer stays, and with it the
-- order of those who are going.
alter table answers add column confirmed_at timestamptz;

-- Feeds ask for a confirmation until it is there.
create or replace function bump_version_by_answer() returns trigger language plpgsql as $$
begin
  perform bump_event_versions(array(
    select distinct event_id from changed join previous using (event_id, user_id)
    where (changed.answer, changed.guests, changed.attendee_role, changed.answered_at, changed.confirmed_at)
      is distinct from (previous.answer, previous.guests, previous.attendee_role, previous.answered_at,
        previous.confirmed_at)));
  return null;
end $$;
