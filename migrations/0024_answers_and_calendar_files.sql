-- Statement by statement.
-- When members last changed their answers to events. It outlives the attendance, since the SEQUENCE of a calendar entry
-- counts it and must never fall.
create table if not exists answer_changes (
  user_id uuid not null references users on delete cascade,
  event_id uuid not null,
  changed_at timestamptz not null,
  -- When the user left the club; a day later the row goes.
  left_at timestamptz,
  primary key (user_id, event_id)
);
create index if not exists answer_changes_event on answer_changes (event_id);
create index if not exists answer_changes_left on answer_changes (left_at) where left_at is not null;
alter table answer_changes
  drop constraint if exists answer_changes_event_id_fkey,
  add constraint answer_changes_event_id_fkey foreign key (event_id) references events on delete cascade;
-- Which calendar files were emailed to whom and not withdrawn since.
create table if not exists calendar_files (
  user_id uuid not null references users on delete cascade,
  event_id uuid not null,
  -- The setting that the email obeyed; 'always' where it obeyed none.
  setting text not null,
  primary key (user_id, event_id, setting)
);
create index if not exists calendar_files_event on calendar_files (event_id);
alter table calendar_files
  drop constraint if exists calendar_files_event_id_fkey,
  add constraint calendar_files_event_id_fkey foreign key (event_id) references events on delete cascade;
