create table clubs (
  id uuid primary key,
  slug text not null unique,
  club_name text not null check (club_name <> ''),
  club_description text not null default '',
  location_name text,
  website text,
  profile_picture_url text,
  profile_banner_url text,
  created_at timestamptz not null,
  -- Rises with every edit. Events use their sequence.
  version int not null default 0
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

-- Defence in depth behind the lock on the club: even without the lock, no club is left without an admin.
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

-- One active link per club: a new one replaces the old.
create table invite_links (
  id uuid primary key,
  club_id uuid not null unique references clubs on delete cascade,
  token text not null unique,
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index invite_links_created_by on invite_links (created_by);

create table club_updates (
  id uuid primary key,
  club_id uuid not null references clubs on delete cascade,
  creator_id uuid references users on delete set null,
  content text not null check (content <> ''),
  created_at timestamptz not null
);
create index club_updates_club on club_updates (club_id, created_at desc);
create index club_updates_creator on club_updates (creator_id);
