-- The history of an event: its edits, its cancellation and its new hosts. It stores no person's name. The references to
-- people are in 0015, because a migration uses one existing table.
create table event_changes (
  -- Also the cause of its notifications.
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  kind text not null check (kind in ('edit', 'cancelled', 'host')),
  -- Null after the account is deleted.
  actor_id uuid,
  -- For 'host': the new one.
  host_id uuid,
  changed_at timestamptz not null,
  -- That of the event after the change.
  sequence int not null,
  -- The fields that changed, with texts cut at 300 characters.
  before jsonb not null default '{}',
  after jsonb not null default '{}',
  -- The uncut texts of `before`, for an undo. The hourly job deletes them.
  long_texts jsonb,
  reason text check (reason in ('weather', 'venue', 'illness', 'too_few', 'other')),
  words text not null default '',
  -- People have to confirm answers that they gave until then, except for the actor.
  asked_again boolean not null default false,
  told boolean not null default false,
  undone_at timestamptz
);
create index event_changes_newest on event_changes (event_id, changed_at desc);
-- Cards and feeds show the last change of times.
create index event_changes_times on event_changes (event_id, changed_at desc)
  where undone_at is null and (before ? 'start_time' or before ? 'end_time');
create index event_changes_asks on event_changes (event_id, changed_at desc) where undone_at is null and asked_again;
create index event_changes_actor on event_changes (actor_id);
create index event_changes_host on event_changes (host_id) where host_id is not null;
create index event_changes_long_texts on event_changes (changed_at) where long_texts is not null;
