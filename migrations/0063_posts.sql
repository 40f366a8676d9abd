-- Statement by statement.
-- Repeatable from the start. Only the references to events lock two tables, and for a moment.
set lock_timeout = 400;
-- A change of a message changes no page that is shared.
create or replace function bump_version_by_post() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(select distinct club_id from changed where event_id is null), 'page');
  return null;
end $$;

-- A post without an event is an update of the club. A post with an event is a message to the members with certain answers
-- ('silent': without an answer). The view has the name and the columns of the table of before, so that the release before
-- reads and writes updates through it, and never reads a message.
do $$ begin
  if to_regclass('posts') is null then
    alter table club_updates add column event_id uuid, add column audience text[];
    alter table club_updates rename to posts;
    create view club_updates as
      select id, club_id, creator_id, content, created_at, edited_at, version from posts where event_id is null
      with local check option;
    drop trigger club_updates_inserted on posts;
    drop trigger club_updates_updated on posts;
    drop trigger club_updates_deleted on posts;
    create trigger posts_inserted after insert on posts referencing new table as changed
      for each statement execute function bump_version_by_post();
    create trigger posts_updated after update on posts referencing new table as changed
      for each statement execute function bump_version_by_post();
    create trigger posts_deleted after delete on posts referencing old table as changed
      for each statement execute function bump_version_by_post();
  end if;
end $$;

-- If the post itself is deleted, its own trigger changes the version.
create or replace function bump_version_by_picture() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(
    select distinct p.club_id from changed join posts p on p.id = changed.update_id where p.event_id is null), 'page');
  return null;
end $$;

alter table posts
  drop constraint if exists posts_audience_check,
  drop constraint if exists posts_check,
  add constraint posts_audience_check check (cardinality(audience) > 0
    and audience <@ array['going', 'waiting', 'maybe', 'silent']) not valid,
  add constraint posts_check check ((event_id is null) = (audience is null)) not valid;
alter table posts validate constraint posts_audience_check;
alter table posts validate constraint posts_check;
alter table posts
  drop constraint if exists posts_event_id_fkey,
  add constraint posts_event_id_fkey foreign key (event_id) references events on delete cascade not valid;
alter table posts validate constraint posts_event_id_fkey;
alter index if exists club_updates_creator rename to posts_creator;
-- For the deletion of clubs. The updates of a club are read by an index of their own.
alter index if exists club_updates_club rename to posts_club;

set lock_timeout = 0;
drop index concurrently if exists posts_updates;
create index concurrently posts_updates on posts (club_id, created_at desc) where event_id is null;
drop index concurrently if exists posts_event;
create index concurrently posts_event on posts (event_id, created_at desc) where event_id is not null;
