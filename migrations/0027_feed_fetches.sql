-- When which kind of calendar app last fetched a feed. It ends with the membership or the account.
create table feed_fetches (
  user_id uuid not null references users on delete cascade,
  -- Null for the personal feed.
  club_id uuid,
  app text not null check (app in ('google', 'apple', 'outlook', 'other')),
  fetched_at timestamptz not null,
  unique nulls not distinct (user_id, club_id, app),
  foreign key (club_id, user_id) references members on delete cascade
);
create index feed_fetches_club on feed_fetches (club_id, user_id, fetched_at);
create index feed_fetches_time on feed_fetches (fetched_at);

-- A new time, a new place or a cancellation is told to those whose calendars are in use but do not know it, a day before
-- the earlier start, or when it can't be undone any more. In a club without calendars there is no job.
create function relay_change() returns trigger language plpgsql as $$
declare
  starts_at timestamptz;
begin
  select least(e.start_time, (new.before ->> 'start_time')::timestamptz) into starts_at
  from events e where e.id = new.event_id
    and exists (select from feed_fetches f where f.club_id = e.owner_club_id);
  if found then
    perform enqueue_job('relay', jsonb_build_object('change', new.id), priority => 1, run_at => now() +
      greatest(interval '65 seconds', starts_at - new.changed_at - interval '24 hours'));
  end if;
  return null;
end $$;
create trigger event_changes_relay after insert on event_changes for each row
  when (new.kind = 'cancelled' or new.before ?| array['start_time', 'end_time', 'location_name'])
  execute function relay_change();
