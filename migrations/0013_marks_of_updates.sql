create trigger club_updates_added after insert on club_updates referencing new table as changed
  for each statement execute function mark_clubs_by_club();
create trigger club_updates_changed after update on club_updates referencing new table as changed
  for each statement execute function mark_clubs_by_club();
create trigger club_updates_gone after delete on club_updates referencing old table as changed
  for each statement execute function mark_clubs_by_club();
