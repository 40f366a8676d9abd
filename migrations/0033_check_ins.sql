-- Who was there, as the organisers of an event noted it. No row: not noted. Without triggers, since no page shows it to
-- all members.
create table check_ins (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  came boolean not null,
  came_at timestamptz not null,
  primary key (event_id, user_id)
);
create index check_ins_user on check_ins (user_id);
