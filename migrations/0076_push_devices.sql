-- The browsers that get notifications: at most one for each session, which ends with it.
create table push_devices (
  session_id uuid primary key references sessions on delete cascade,
  user_id uuid not null references users on delete cascade,
  -- The address at the push service. Null after the service has said that it is gone: the app then subscribes again.
  endpoint text unique check (length(endpoint) <= 1000),
  p256dh bytea not null check (length(p256dh) = 65),
  auth bytea not null check (length(auth) = 16),
  created_at timestamptz not null,
  -- When the device was last told that its session is about to end.
  warned_at timestamptz
);
create index push_devices_user on push_devices (user_id);
