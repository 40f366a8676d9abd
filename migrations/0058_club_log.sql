-- Who changed what in a club, for its admins. Details hold roles and the names of fields, never a text or a name: names are
-- read when the log is shown.
create table club_log (
  id uuid primary key,
  club_id uuid not null references clubs on delete cascade,
  at timestamptz not null,
  kind text not null check (kind in ('founded', 'role', 'ejected', 'link_made', 'link_deleted', 'settings',
    'handover_offered', 'handover_accepted', 'handover_ended')),
  actor_id uuid references users on delete set null,
  user_id uuid references users on delete set null,
  details jsonb not null default '{}'
);
create index club_log_club on club_log (club_id, at, id);
create index club_log_at on club_log (at);
create index club_log_actor on club_log (actor_id);
create index club_log_user on club_log (user_id);
