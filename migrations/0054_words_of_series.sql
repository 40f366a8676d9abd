-- The app builds the words of a rule in the language of each reader. No release has ever read the column. Each change of
-- a rule increments the version of its series, so cards change with that version.
alter table series drop column words;

create or replace function bump_version_by_series() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(
    select distinct club_id from changed join previous using (id, club_id)
    where changed.version is distinct from previous.version), 'cards');
  return null;
end $$;
