-- The history on the page of an event names who changed it and its hosts, who may have left the club since.
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
      union select owner_club_id from answers join events on events.id = event_id where user_id = any(people)
      union select (select owner_club_id from events where id = event_id) from event_changes
        where actor_id = any(people) or host_id = any(people)), 'cards');
  end if;
  return null;
end $$;

-- Inserting a change also changes its event. The hourly job that deletes long texts changes no page.
create function bump_version_by_change() returns trigger language plpgsql as $$
begin
  perform bump_event_versions(array(
    select distinct event_id from changed join previous using (id, event_id)
    where (changed.actor_id, changed.host_id, changed.undone_at)
      is distinct from (previous.actor_id, previous.host_id, previous.undone_at)));
  return null;
end $$;
create trigger event_changes_updated after update on event_changes referencing new table as changed old table as previous
  for each statement execute function bump_version_by_change();
