create trigger attendances_added after insert on attendances referencing new table as changed
  for each statement execute function mark_clubs_by_event();
create trigger attendances_changed after update on attendances referencing new table as changed
  for each statement execute function mark_clubs_by_event();
create trigger attendances_gone after delete on attendances referencing old table as changed
  for each statement execute function mark_clubs_by_event();
