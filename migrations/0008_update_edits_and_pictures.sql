-- The time and the number of the edits of an update.
alter table club_updates
  add column edited_at timestamptz,
  add column version int not null default 0;

-- Pictures of updates. A picture is uploaded before its update is published or saved, and has no update until then. Their
-- files have widths that pictures of other kinds have too: the last release serves and deletes them as well.
alter table pictures
  add column update_id uuid references club_updates on delete cascade,
  add column position smallint,
  add column width int,
  add column height int,
  drop constraint pictures_kind_check,
  -- Not validated: all rows obey the stricter constraint that it replaces.
  add constraint pictures_kind_check check (kind in ('person', 'avatar', 'banner', 'update')) not valid;
create index pictures_update on pictures (update_id);
create index pictures_unused on pictures (created_at) where kind = 'update' and update_id is null;
drop index pictures_club;
create unique index pictures_club on pictures (club_id, kind) where kind in ('avatar', 'banner');

-- The club page shows the pictures of the latest update. Those without an update are not shown.
create function bump_version_by_picture() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(select distinct club_id from changed where update_id is not null), 'page');
  return null;
end $$;
create trigger pictures_updated after update on pictures referencing new table as changed
  for each statement execute function bump_version_by_picture();
create trigger pictures_deleted after delete on pictures referencing old table as changed
  for each statement execute function bump_version_by_picture();
