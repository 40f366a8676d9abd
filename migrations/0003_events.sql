create table events (
  id uuid primary key,
  slug text not null unique,
  owner_club_id uuid not null references clubs on delete cascade,
  name text not null check (name <> ''),
  description text not null default '',
  details text not null default '',
  location_name text not null default '',
  start_time timestamptz not null,
  end_time timestamptz not null,
  entry_until_time timestamptz not null,
  time_zone text not null,
  created_at timestamptz not null,
  -- Calendar apps accept a change only when the sequence rises.
  updated_at timestamptz not null,
  sequence int not null default 0,
  deleted_at timestamptz,
  -- Attendees are reminded once, even those who deleted the notification.
  reminded_at timestamptz,
  check (end_time >= start_time)
);
create index events_to_remind on events (start_time) where reminded_at is null and deleted_at is null;
-- The order of the club's lists: upcoming events by start, all others by end. With the start as the last column, events
-- in progress are found without reading the upcoming ones.
create index events_club_start on events (owner_club_id, start_time, id);
create index events_club_end on events (owner_club_id, end_time, id, start_time);
create unique index events_times on events (id, start_time, end_time);

-- Each attendance repeats the times of its event, so that an index finds overlapping events even for users who attend
-- thousands. The foreign key keeps the copies equal.
create table attendances (
  event_id uuid not null,
  user_id uuid not null references users on delete cascade,
  attendee_role text not null default 'attendee' check (attendee_role in ('organiser', 'attendee')),
  attended_at timestamptz not null,
  event_start timestamptz,
  event_end timestamptz,
  primary key (event_id, user_id),
  constraint attendances_event_fkey foreign key (event_id, event_start, event_end)
    references events (id, start_time, end_time) match full on update cascade on delete cascade
);
create unique index attendances_one_host on attendances (event_id) where attendee_role = 'organiser';
create index attendances_times on attendances (user_id, event_start, event_id, event_end);
-- The few events longer than a day: finds those that began long ago and still go on.
create index attendances_long on attendances (user_id, event_end, event_start, event_id)
  where event_end - event_start > interval '24 hours';

create function copy_event_times() returns trigger language plpgsql as $$
begin
  select e.start_time, e.end_time into new.event_start, new.event_end from events e where e.id = new.event_id;
  return new;
end $$;
create trigger attendances_copy_times before insert on attendances
  for each row when (new.event_start is null) execute function copy_event_times();

create table favourites (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (event_id, user_id)
);
create index favourites_user on favourites (user_id);

-- Who is notified of changes to an event without attending it.
create table event_followers (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (event_id, user_id)
);
create index event_followers_user on event_followers (user_id);

-- When members last changed their answers. A row outlives its attendance, because the SEQUENCE of the calendar entry
-- counts it and must never fall.
create table answer_changes (
  user_id uuid not null references users on delete cascade,
  event_id uuid not null references events on delete cascade,
  changed_at timestamptz not null,
  -- When the user left the club. The row is deleted a day later.
  left_at timestamptz,
  primary key (user_id, event_id)
);
create index answer_changes_event on answer_changes (event_id);
create index answer_changes_left on answer_changes (left_at) where left_at is not null;

-- Calendar files that were emailed and not withdrawn since.
create table calendar_files (
  user_id uuid not null references users on delete cascade,
  event_id uuid not null references events on delete cascade,
  -- The setting that the email obeyed, or 'always'.
  setting text not null,
  primary key (user_id, event_id, setting)
);
create index calendar_files_event on calendar_files (event_id);

-- Retired addresses of calendar feeds. For 30 days each serves cancellations of the events it had shown, so that
-- calendar apps remove them.
create table retired_feeds (
  -- The secret is never shown again, so its digest is enough.
  secret_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  -- Null for the personal feed. No reference: the events of a deleted club stay cancelled.
  club_id uuid,
  -- id, start_time and sequence of each event at that time.
  entries jsonb not null,
  retired_at timestamptz not null
);
create index retired_feeds_user on retired_feeds (user_id, club_id, retired_at);
