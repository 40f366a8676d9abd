create table users (
  id uuid primary key,
  -- Lower-cased by the app in ASCII only, so that no other letter folds into an ASCII one.
  email text not null unique,
  -- A new address waits here until the code that was mailed to it comes back.
  pending_email text,
  pending_email_hash bytea,
  pending_email_ends_at timestamptz,
  user_name text not null default '',
  first_name text not null default '',
  last_name text not null default '',
  profile_picture_url text,
  calendar_secret text not null unique,
  created_at timestamptz not null
);

-- A session is a family of refresh tokens: the one in force and its direct parent. A dead session has no row.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  access_hash bytea not null unique,
  access_ends_at timestamptz not null,
  refresh_hash bytea not null,
  parent_hash bytea,
  device text not null default '',
  created_at timestamptz not null,
  used_at timestamptz not null,
  ends_at timestamptz not null
);
create index sessions_user on sessions (user_id);

create table login_codes (
  id uuid primary key,
  email text not null,
  short_hash bytea not null,
  long_hash bytea not null,
  wrong_tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index login_codes_email on login_codes (email, created_at);

-- Wrong guesses count per address and outlive the codes.
create table login_guards (
  email text primary key,
  hour_started_at timestamptz not null,
  wrong_this_hour int not null default 0,
  wrong_in_a_row int not null default 0,
  short_codes_refused_until timestamptz
);

create table clubs (
  id uuid primary key,
  slug text not null unique,
  club_name text not null check (club_name <> ''),
  club_description text not null default '',
  location_name text,
  website text,
  profile_picture_url text,
  profile_banner_url text,
  created_at timestamptz not null
);

create table members (
  club_id uuid not null references clubs on delete cascade,
  user_id uuid not null references users on delete cascade,
  club_role smallint not null default 0 check (club_role in (0, 100, 200)),
  calendar_secret text not null unique,
  joined_at timestamptz not null,
  primary key (club_id, user_id)
);
create index members_user on members (user_id);

-- Defence in depth behind the lock on the club: even a forgotten lock leaves no club without an admin.
create function club_keeps_an_admin() returns trigger language plpgsql as $$
begin
  perform 1 from clubs where id = old.club_id for update;
  if found and not exists (select 1 from members where club_id = old.club_id and club_role = 200) then
    raise exception 'club % would have no admin', old.club_id using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger members_keep_an_admin
  after update of club_role or delete on members
  deferrable initially deferred
  for each row when (old.club_role = 200)
  execute function club_keeps_an_admin();

create table ejections (
  club_id uuid not null references clubs on delete cascade,
  user_id uuid not null references users on delete cascade,
  ejected_at timestamptz not null,
  primary key (club_id, user_id)
);
create index ejections_user on ejections (user_id);

-- One live link a club: a new one replaces the old.
create table invite_links (
  id uuid primary key,
  club_id uuid not null unique references clubs on delete cascade,
  token text not null unique,
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index invite_links_created_by on invite_links (created_by);

create table events (
  id uuid primary key,
  slug text not null unique,
  owner_club_id uuid not null references clubs on delete cascade,
  name text not null check (name <> ''),
  description text not null default '',
  details text not null default '',
  location_name text not null default '',
  start_time timestamptz not null,
  end_time timestamptz not null,
  entry_until_time timestamptz not null,
  time_zone text not null,
  created_at timestamptz not null,
  -- Calendar apps take a change for a change only when the sequence rises.
  updated_at timestamptz not null,
  sequence int not null default 0,
  deleted_at timestamptz,
  check (end_time >= start_time)
);
create index events_club on events (owner_club_id, end_time);

create table attendances (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  attendee_role text not null default 'attendee' check (attendee_role in ('organiser', 'attendee')),
  attended_at timestamptz not null,
  primary key (event_id, user_id)
);
create index attendances_user on attendances (user_id);
create unique index attendances_one_host on attendances (event_id) where attendee_role = 'organiser';

create table club_updates (
  id uuid primary key,
  club_id uuid not null references clubs on delete cascade,
  creator_id uuid references users on delete set null,
  content text not null check (content <> ''),
  created_at timestamptz not null
);
create index club_updates_club on club_updates (club_id, created_at desc);
create index club_updates_creator on club_updates (creator_id);

-- Counters that may be lost in a crash, hence unlogged.
create unlogged table rate_limits (
  key text primary key,
  window_ends_at timestamptz not null,
  taken int not null
);
