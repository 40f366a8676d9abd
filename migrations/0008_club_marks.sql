-- What a club's page shows of this moment is known by its mark: the exclusive or of the marks below. Each change adds a
-- random one, so two moments with the same mark have the same page, whatever was lost or put back in between.
create table club_marks (
  id uuid primary key default gen_random_uuid(),
  -- No reference: it would make whoever changes a name wait for those who change the club.
  club_id uuid not null,
  mark bigint not null
) with (fillfactor = 50);
create index club_marks_club on club_marks (club_id);

-- Takes a row that nobody else holds, or adds one: it waits for nobody, so it stands outside the order of locks, and a club
-- has no more rows than it ever had changes at one moment. Clubs that are being deleted need no mark.
create function mark_clubs(changed uuid[]) returns void language plpgsql as $$
declare
  club uuid;
  fresh bigint;
begin
  for club in select id from clubs where id = any(changed) loop
    fresh := hashtextextended(gen_random_uuid()::text, 0);
    update club_marks set mark = mark # fresh
      where id = (select id from club_marks where club_id = club limit 1 for update skip locked);
    if not found then
      insert into club_marks (club_id, mark) values (club, fresh);
    end if;
  end loop;
end $$;

-- Of each table whose rows a page shows, a statement that changes some marks their clubs. No row ever moves to another club.
create function mark_clubs_itself() returns trigger language plpgsql as $$
begin
  perform mark_clubs(array(select id from changed));
  return null;
end $$;

create function forget_club_marks() returns trigger language plpgsql as $$
begin
  delete from club_marks where club_id in (select id from changed);
  return null;
end $$;

create function mark_clubs_by_club() returns trigger language plpgsql as $$
begin
  perform mark_clubs(array(select distinct club_id from changed));
  return null;
end $$;

create function mark_clubs_by_owner() returns trigger language plpgsql as $$
begin
  perform mark_clubs(array(select distinct owner_club_id from changed));
  return null;
end $$;

create function mark_clubs_by_event() returns trigger language plpgsql as $$
begin
  perform mark_clubs(array(
    select distinct owner_club_id from events where id in (select event_id from changed)));
  return null;
end $$;

-- Also clubs that somebody has left show them: in what is over, and in what they wrote.
create function mark_clubs_by_user() returns trigger language plpgsql as $$
declare
  people uuid[] := array(
    select id from changed join previous using (id)
    where (changed.first_name, changed.last_name, changed.profile_picture_url)
      is distinct from (previous.first_name, previous.last_name, previous.profile_picture_url));
begin
  if people <> '{}' then
    perform mark_clubs(array(
      select club_id from members where user_id = any(people)
      union select club_id from club_updates where creator_id = any(people)
      union select owner_club_id from attendances join events on events.id = event_id where user_id = any(people)));
  end if;
  return null;
end $$;
