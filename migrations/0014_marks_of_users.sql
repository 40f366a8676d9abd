create trigger users_changed after update on users referencing new table as changed old table as previous
  for each statement execute function mark_clubs_by_user();
