create trigger members_added after insert on members referencing new table as changed
  for each statement execute function mark_clubs_by_club();
create trigger members_changed after update on members referencing new table as changed
  for each statement execute function mark_clubs_by_club();
create trigger members_gone after delete on members referencing old table as changed
  for each statement execute function mark_clubs_by_club();
