-- What happened, for one user. Text is made when it is read, so that no name of a person is ever stored in it.
create table notifications (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null,
  -- What caused it: the same cause makes one notification a user and kind, however often it is told.
  cause uuid not null,
  actor_id uuid references users on delete set null,
  -- Names and slugs of the club and the event, as they were; and what changed.
  subject jsonb not null,
  created_at timestamptz not null,
  seen_at timestamptz,
  actioned_at timestamptz,
  unique (user_id, cause, kind)
);
create index notifications_newest on notifications (user_id, created_at desc, id);
create index notifications_created on notifications (created_at);
create index notifications_actor on notifications (actor_id);

-- Everything is on at first: only what was switched off has a row.
create table muted_notices (
  user_id uuid not null references users on delete cascade,
  key text not null,
  primary key (user_id, key)
);

create table favourites (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (event_id, user_id)
);
create index favourites_user on favourites (user_id);

-- Who wants to hear of changes to an event without attending it.
create table subscriptions (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (event_id, user_id)
);
create index subscriptions_user on subscriptions (user_id);

create table feedback (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  feedback text not null check (feedback <> ''),
  created_at timestamptz not null
);
create index feedback_user on feedback (user_id);

-- The pictures that are shown. Their bytes lie on disk or in a store; the name is random, and knowing it opens them.
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

create table payment_accounts (
  user_id uuid primary key references users on delete cascade,
  account text not null unique,
  email text not null,
  is_ready boolean not null default false,
  changed_at timestamptz not null
);

-- One authorisation under way: used once, within ten minutes, by the session it was made for.
create table payment_states (
  state_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  session_id uuid not null references sessions on delete cascade,
  expires_at timestamptz not null
);
create index payment_states_user on payment_states (user_id);
create index payment_states_session on payment_states (session_id);

-- Messages of the provider that have taken effect: a repeated one has none.
create table payment_messages (
  id text primary key,
  received_at timestamptz not null
);
