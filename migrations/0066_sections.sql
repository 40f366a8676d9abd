-- Named groups of a club, such as the voices of a choir.
create table sections (
  id uuid primary key,
  club_id uuid not null references clubs on delete cascade,
  name text not null check (name <> ''),
  -- The name without differences of case, computed by the app. Null only while names change, so that two sections of a
  -- club can swap theirs.
  folded_name text,
  position smallint not null,
  unique (club_id, folded_name)
);

-- The sections that a member belongs to. The store keeps the ids valid, under the lock of the club.
alter table members add column section_ids uuid[] not null default '{}';

-- Lists of members show the names of sections, and so will cards of events.
create function bump_version_by_section() returns trigger language plpgsql as $$
declare
  clubs uuid[] := array(select distinct club_id from changed);
begin
  perform bump_club_versions(clubs, 'cards');
  perform bump_club_versions(clubs, 'members');
  return null;
end $$;
create trigger sections_inserted after insert on sections referencing new table as changed
  for each statement execute function bump_version_by_section();
create trigger sections_updated after update on sections referencing new table as changed
  for each statement execute function bump_version_by_section();
create trigger sections_deleted after delete on sections referencing old table as changed
  for each statement execute function bump_version_by_section();

-- The other columns of members are shown to nobody else, so a change of them renews no page.
create function bump_version_by_member() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(
    select distinct club_id from changed join previous using (club_id, user_id)
    where (changed.club_role, changed.joined_at, changed.section_ids)
      is distinct from (previous.club_role, previous.joined_at, previous.section_ids)), 'members');
  return null;
end $$;
drop trigger members_updated on members;
create trigger members_updated after update on members referencing new table as changed old table as previous
  for each statement execute function bump_version_by_member();
