-- A rule that makes events. Each date is an event of its own, so the release before shows and edits them like any other.
create table series (
  id uuid primary key,
  slug text not null unique,
  club_id uuid not null references clubs on delete cascade,
  host_id uuid references users on delete set null,
  -- The event fields of its dates, as in `eventFields` of the contract.
  fields jsonb not null,
  freq text not null check (freq in ('weekly', 'monthly_day', 'monthly_weekday')),
  every smallint not null check (every between 1 and 12),
  -- ISO numbers: 1 is Monday.
  weekdays smallint[] not null,
  month_day smallint check (month_day between 1 and 31),
  -- The first to fourth weekday of the month, or the last one (-1).
  nth smallint check (nth in (-1, 1, 2, 3, 4)),
  local_time time not null,
  time_zone text not null,
  minutes int not null check (minutes >= 0),
  -- From the cut-off of a date to its start.
  cutoff_minutes int not null default 0,
  starts_on date not null,
  ends_on date,
  count smallint check (count between 1 and 200),
  -- The rule as cards show it: 'Every Tuesday'.
  words text not null,
  everybody boolean not null default false,
  ended_at timestamptz,
  version int not null default 0,
  created_at timestamptz not null,
  check (ends_on is null or count is null)
);
create index series_running on series (club_id) where ended_at is null;
create index series_host on series (host_id);

-- Days on which no series of a club makes events.
create table club_breaks (
  id uuid primary key default gen_random_uuid(),
  club_id uuid not null references clubs on delete cascade,
  first_on date not null,
  last_on date not null,
  name text not null,
  check (last_on >= first_on)
);
create index club_breaks_club on club_breaks (club_id);

-- What members answer to each date of a series, unless they answer that date themselves.
create table standing_answers (
  series_id uuid not null references series on delete cascade,
  user_id uuid not null references users on delete cascade,
  answer text not null check (answer in ('going', 'no')),
  guests smallint not null default 0 check (guests between 0 and 9 and (guests = 0 or answer = 'going')),
  since timestamptz not null,
  primary key (series_id, user_id)
);
create index standing_answers_user on standing_answers (user_id);

-- Cards show the words of the rule.
create function bump_version_by_series() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(
    select distinct club_id from changed join previous using (id, club_id)
    where changed.words is distinct from previous.words), 'cards');
  return null;
end $$;
create trigger series_updated after update on series referencing new table as changed old table as previous
  for each statement execute function bump_version_by_series();
