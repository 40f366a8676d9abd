-- Attendances become answers: going, maybe or no. A member without a row has not answered.
alter table attendances rename to answers;
alter table answers rename column attended_at to answered_at;
alter index attendances_pkey rename to answers_pkey;
alter index attendances_one_host rename to answers_one_host;
alter table answers rename constraint attendances_event_fkey to answers_event_fkey;
alter trigger attendances_copy_times on answers rename to answers_copy_times;

-- The checks are not validated: the defaults, which all rows have, obey them.
alter table answers
  add column answer text not null default 'going',
  add column guests smallint not null default 0,
  -- For the organisers only.
  add column note text not null default '',
  -- 'runner': an admin or the host answered for the member, see by_id.
  add column via text not null default 'app',
  add column by_id uuid,
  add constraint answers_answer_check check (answer in ('going', 'maybe', 'no')) not valid,
  add constraint answers_via_check check (via in ('app', 'runner')) not valid,
  add constraint answers_guests_check check (guests between 0 and 9 and (guests = 0 or answer <> 'no')) not valid,
  add constraint answers_host_check check (attendee_role = 'attendee' or answer = 'going') not valid;

-- What the release before reads and writes while both run. The next release drops it.
create view attendances as
  select event_id, user_id, attendee_role, answered_at as attended_at, event_start, event_end
  from answers where answer = 'going';

-- Notes are on no club page.
drop trigger attendances_inserted on answers;
drop trigger attendances_updated on answers;
drop trigger attendances_deleted on answers;
create trigger answers_inserted after insert on answers referencing new table as changed
  for each statement execute function bump_version_by_event_id();
create trigger answers_deleted after delete on answers referencing old table as changed
  for each statement execute function bump_version_by_event_id();
create function bump_version_by_answer() returns trigger language plpgsql as $$
begin
  perform bump_event_versions(array(
    select distinct event_id from changed join previous using (event_id, user_id)
    where (changed.answer, changed.guests, changed.attendee_role, changed.answered_at)
      is distinct from (previous.answer, previous.guests, previous.attendee_role, previous.answered_at)));
  return null;
end $$;
create trigger answers_updated after update on answers referencing new table as changed old table as previous
  for each statement execute function bump_version_by_answer();

create or replace function bump_version_by_user() returns trigger language plpgsql as $$
declare
  people uuid[] := array(
    select id from changed join previous using (id)
    where (changed.first_name, changed.last_name, changed.profile_picture_url)
      is distinct from (previous.first_name, previous.last_name, previous.profile_picture_url));
begin
  if people <> '{}' then
    perform bump_club_versions(array(select club_id from members where user_id = any(people)), 'members');
    perform bump_club_versions(array(
      select club_id from members where user_id = any(people)
      union select club_id from club_updates where creator_id = any(people)
      union select owner_club_id from answers join events on events.id = event_id where user_id = any(people)), 'cards');
  end if;
  return null;
end $$;
