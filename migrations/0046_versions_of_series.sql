-- Cards show the words of the rule, and pages of dates the version of their series.
create or replace function bump_version_by_series() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(
    select distinct club_id from changed join previous using (id, club_id)
    where (changed.words, changed.version) is distinct from (previous.words, previous.version)), 'cards');
  return null;
end $$;
