-- Triggers, because there are many ways to give up going, also in the release before.
create trigger answers_release_slots after update on answers referencing new table as changed
  for each statement execute function release_slots_by_answer();
create trigger answers_release_slots_deleted after delete on answers referencing old table as previous
  for each statement execute function release_slots_by_answer();
