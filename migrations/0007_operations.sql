-- Counters that may be lost in a crash, hence unlogged.
create unlogged table rate_limits (
  key text primary key,
  window_ends_at timestamptz not null,
  taken int not null
);

create table feedback (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  feedback text not null check (feedback <> ''),
  created_at timestamptz not null
);
create index feedback_user on feedback (user_id);

-- Responses to requests with an Idempotency-Key, written in the transaction of the request: a repeated request gets the
-- first response and has no effect.
create table idempotency_keys (
  user_id uuid not null references users on delete cascade,
  -- HMAC of method, path and key.
  request_hash bytea not null,
  body_hash bytea not null,
  status smallint not null,
  -- Encrypted with a key derived from the Idempotency-Key.
  response bytea not null,
  created_at timestamptz not null,
  primary key (user_id, request_hash)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- The version of a club's page is the exclusive or of its rows. Each change adds a random number, so two states of the
-- same version show the same page, whatever was lost or restored in between. `part` tells which cached part of the page
-- has to be read again: the list of members, all event cards, some events, or only what is small ('page').
create table club_versions (
  id uuid primary key default gen_random_uuid(),
  -- No reference: with one, changing a name would wait for changes to the club.
  club_id uuid not null,
  part text not null default 'page' check (part in ('page', 'members', 'cards', 'events')),
  version bigint not null
) with (fillfactor = 50);
create index club_versions_club on club_versions (club_id);

-- The version of an event's card, in the same way. An event that never changed has none.
create table event_versions (
  id uuid primary key default gen_random_uuid(),
  event_id uuid not null,
  version bigint not null
) with (fillfactor = 50);
create index event_versions_event on event_versions (event_id);

-- Takes a row that is not locked, or adds one. It never waits, so it needs no place in the order of locks, and a club has
-- no more rows than it ever had concurrent changes. Clubs that are being deleted need no version.
create function bump_club_versions(changed uuid[], changed_part text) returns void language plpgsql as $$
declare
  club uuid;
  fresh bigint;
begin
  for club in select id from clubs where id = any(changed) loop
    fresh := hashtextextended(gen_random_uuid()::text, 0);
    update club_versions set version = version # fresh
      where id = (
        select id from club_versions where club_id = club and part = changed_part limit 1 for update skip locked);
    if not found then
      insert into club_versions (club_id, part, version) values (club, changed_part, fresh);
    end if;
  end loop;
end $$;

-- Bumps the cards of these events and the pages of their clubs.
create function bump_event_versions(changed uuid[]) returns void language plpgsql as $$
declare
  event uuid;
  fresh bigint;
begin
  for event in select id from events where id = any(changed) loop
    fresh := hashtextextended(gen_random_uuid()::text, 0);
    update event_versions set version = version # fresh
      where id = (select id from event_versions where event_id = event limit 1 for update skip locked);
    if not found then
      insert into event_versions (event_id, version) values (event, fresh);
    end if;
  end loop;
  perform bump_club_versions(array(select distinct owner_club_id from events where id = any(changed)), 'events');
end $$;

-- One statement trigger for each table whose rows a club page shows. No row ever moves to another club.
create function bump_version_of_new_club() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(select id from changed), 'page');
  return null;
end $$;

-- Cards show the name of the club.
create function bump_version_of_club() returns trigger language plpgsql as $$
declare
  renamed uuid[] := array(
    select id from changed join previous using (id)
    where (changed.club_name, changed.slug) is distinct from (previous.club_name, previous.slug));
begin
  perform bump_club_versions(renamed, 'cards');
  perform bump_club_versions(array(select id from changed where id <> all(renamed)), 'page');
  return null;
end $$;

create function delete_club_versions() returns trigger language plpgsql as $$
begin
  delete from club_versions where club_id in (select id from changed);
  return null;
end $$;

-- The argument of the trigger is the part of the page that shows the rows.
create function bump_version_by_club_id() returns trigger language plpgsql as $$
begin
  perform bump_club_versions(array(select distinct club_id from changed), tg_argv[0]);
  return null;
end $$;

create function bump_version_of_event() returns trigger language plpgsql as $$
begin
  perform bump_event_versions(array(select id from changed));
  return null;
end $$;

create function delete_event_versions() returns trigger language plpgsql as $$
begin
  delete from event_versions where event_id in (select id from changed);
  perform bump_club_versions(array(select distinct owner_club_id from changed), 'events');
  return null;
end $$;

create function bump_version_by_event_id() returns trigger language plpgsql as $$
begin
  perform bump_event_versions(array(select distinct event_id from changed));
  return null;
end $$;

-- Includes clubs that the user has left: their name is shown at past events and at their updates.
create function bump_version_by_user() returns trigger language plpgsql as $$
declare
  people uuid[] := array(
    select id from changed join previous using (id)
    where (changed.first_name, changed.last_name, changed.profile_picture_url)
      is distinct from (previous.first_name, previous.last_name, previous.profile_picture_url));
begin
  if people <> '{}' then
    perform bump_club_versions(array(select club_id from members where user_id = any(people)), 'members');
    perform bump_club_versions(array(
      select club_id from members where user_id = any(people)
      union select club_id from club_updates where creator_id = any(people)
      union select owner_club_id from attendances join events on events.id = event_id where user_id = any(people)), 'cards');
  end if;
  return null;
end $$;

create trigger clubs_inserted after insert on clubs referencing new table as changed
  for each statement execute function bump_version_of_new_club();
create trigger clubs_updated after update on clubs referencing new table as changed old table as previous
  for each statement execute function bump_version_of_club();
create trigger clubs_deleted after delete on clubs referencing old table as changed
  for each statement execute function delete_club_versions();
create trigger users_updated after update on users referencing new table as changed old table as previous
  for each statement execute function bump_version_by_user();
create trigger members_inserted after insert on members referencing new table as changed
  for each statement execute function bump_version_by_club_id('members');
create trigger members_updated after update on members referencing new table as changed
  for each statement execute function bump_version_by_club_id('members');
create trigger members_deleted after delete on members referencing old table as changed
  for each statement execute function bump_version_by_club_id('members');
create trigger events_inserted after insert on events referencing new table as changed
  for each statement execute function bump_version_of_event();
create trigger events_updated after update on events referencing new table as changed
  for each statement execute function bump_version_of_event();
create trigger events_deleted after delete on events referencing old table as changed
  for each statement execute function delete_event_versions();
create trigger attendances_inserted after insert on attendances referencing new table as changed
  for each statement execute function bump_version_by_event_id();
create trigger attendances_updated after update on attendances referencing new table as changed
  for each statement execute function bump_version_by_event_id();
create trigger attendances_deleted after delete on attendances referencing old table as changed
  for each statement execute function bump_version_by_event_id();
create trigger club_updates_inserted after insert on club_updates referencing new table as changed
  for each statement execute function bump_version_by_club_id('page');
create trigger club_updates_updated after update on club_updates referencing new table as changed
  for each statement execute function bump_version_by_club_id('page');
create trigger club_updates_deleted after delete on club_updates referencing old table as changed
  for each statement execute function bump_version_by_club_id('page');
