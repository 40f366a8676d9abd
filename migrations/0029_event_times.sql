-- The times that an event may have. Once one is fixed, it is the only one left.
create table event_times (
  id uuid primary key default gen_random_uuid(),
  event_id uuid not null references events on delete cascade,
  start_time timestamptz not null,
  end_time timestamptz not null,
  unique (event_id, start_time, end_time),
  unique (event_id, id),
  check (end_time >= start_time)
);

-- Which times suit whom, until one is fixed: then votes become answers.
create table time_votes (
  event_id uuid not null,
  time_id uuid not null,
  user_id uuid not null references users on delete cascade,
  vote text not null check (vote in ('yes', 'if_needed', 'no')),
  -- When the member began to vote so: who voted first gets a seat first.
  voted_at timestamptz not null,
  primary key (event_id, time_id, user_id),
  foreign key (event_id, time_id) references event_times (event_id, id) on delete cascade
);
create index time_votes_user on time_votes (user_id, event_id);

-- Personal calendars show the times that suit their owners. What deletes votes marks the club itself.
create trigger time_votes_inserted after insert on time_votes referencing new table as changed
  for each statement execute function bump_version_by_event_id();
create trigger time_votes_updated after update on time_votes referencing new table as changed
  for each statement execute function bump_version_by_event_id();

-- 'decided': one of several times was fixed.
alter table event_changes
  drop constraint event_changes_kind_check,
  add constraint event_changes_kind_check check (kind in ('edit', 'cancelled', 'host', 'decided')) not valid;
