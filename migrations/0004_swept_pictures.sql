-- Whichever way a picture goes, by its own deed or with its person or club, its files go after the commit.
create function sweep_picture() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job('sweep_picture', json_build_object('name', old.name), max_attempts := 8, priority := 1);
  return null;
end $$;
create trigger pictures_sweep after delete on pictures for each row execute function sweep_picture();
