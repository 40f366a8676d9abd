-- The outcome of each email about a notice, for 30 days. The channels 'app' and 'push' are for outcomes of the bell and of
-- push notifications.
create table deliveries (
  -- The id of the email, as in its `Message-ID`.
  id uuid not null,
  channel text not null check (channel in ('app', 'email', 'push')),
  user_id uuid not null references users on delete cascade,
  kind text not null,
  state text not null default 'pending' check (state in ('pending', 'accepted', 'refused', 'failed')),
  -- The codes of the mail server's reply, such as '550 5.1.1'. Its sentence often names the address and is not stored.
  code text check (code ~ '^\d{3}( \d\.\d{1,3}\.\d{1,3})?$'),
  -- When the text was rendered from the data of that time.
  stated_at timestamptz not null,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (id, channel),
  check ((state = 'pending') = (settled_at is null))
);
create index deliveries_user on deliveries (user_id, created_at);
create index deliveries_created on deliveries (created_at);
create index deliveries_pending on deliveries (id) where state = 'pending';

-- The rejections in a row of an account's current address. Without rejections there is no row. A table of its own, because a
-- change of `users` or `members` makes every page that shows the person read again.
create table email_rejections (
  user_id uuid primary key references users on delete cascade,
  rejections int not null check (rejections > 0),
  rejected_since timestamptz not null
);
