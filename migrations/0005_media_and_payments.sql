-- The pictures in use. Their bytes are on disk or in a bucket. The name is random, and everybody who knows it may read.
create table pictures (
  name text primary key,
  user_id uuid references users on delete cascade,
  club_id uuid references clubs on delete cascade,
  kind text not null check (kind in ('person', 'avatar', 'banner')),
  created_at timestamptz not null,
  check ((kind = 'person') = (user_id is not null) and (kind <> 'person') = (club_id is not null))
);
create unique index pictures_person on pictures (user_id) where kind = 'person';
create unique index pictures_club on pictures (club_id, kind) where kind <> 'person';
-- The partial indexes above do not serve queries that name no kind.
create index pictures_user on pictures (user_id);
create index pictures_of_club on pictures (club_id);

-- Deletes the files after the commit, whether a picture is removed by itself or with its person or club.
create function delete_unused_picture() returns trigger language plpgsql as $$
begin
  perform enqueue_job('delete_unused_picture', jsonb_build_object('name', old.name), priority => 1);
  return null;
end $$;
create trigger pictures_delete_files after delete on pictures for each row execute function delete_unused_picture();

create table payment_accounts (
  user_id uuid primary key references users on delete cascade,
  account text not null unique,
  email text not null,
  is_ready boolean not null default false,
  changed_at timestamptz not null
);

-- One authorisation in progress: used once, within ten minutes, by the session that started it.
create table oauth_states (
  state_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  session_id uuid not null references sessions on delete cascade,
  expires_at timestamptz not null
);
create index oauth_states_user on oauth_states (user_id);
create index oauth_states_session on oauth_states (session_id);

-- Events of the payment provider that have been processed: a repeated one has no effect.
create table webhook_events (
  id text primary key,
  received_at timestamptz not null
);
