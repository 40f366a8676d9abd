create trigger events_release_slots after update of deleted_at on events
  for each row when (new.deleted_at is not null) execute function release_slots_by_cancellation();
