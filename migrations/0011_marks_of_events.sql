create trigger events_added after insert on events referencing new table as changed
  for each statement execute function mark_clubs_by_owner();
create trigger events_changed after update on events referencing new table as changed
  for each statement execute function mark_clubs_by_owner();
create trigger events_gone after delete on events referencing old table as changed
  for each statement execute function mark_clubs_by_owner();
