-- The days on which people are away. They are days of the calendar, in the time zone of each event.
create table absences (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  first_on date not null,
  last_on date not null check (last_on between first_on and first_on + 366),
  unique (user_id, first_on, last_on)
);
create index absences_last on absences (last_on);
