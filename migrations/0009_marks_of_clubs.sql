create trigger clubs_added after insert on clubs referencing new table as changed
  for each statement execute function mark_clubs_itself();
create trigger clubs_changed after update on clubs referencing new table as changed
  for each statement execute function mark_clubs_itself();
create trigger clubs_gone after delete on clubs referencing old table as changed
  for each statement execute function forget_club_marks();
