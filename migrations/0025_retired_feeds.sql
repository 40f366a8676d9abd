-- Addresses of calendar feeds that their owners gave up. For 30 days each serves bare cancellations of what it had shown,
-- so that no calendar app keeps those events for good.
create table retired_feeds (
  -- Nobody is shown the secret again, so its digest is enough.
  secret_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  -- None for the personal feed. No reference: what a deleted club had shown stays cancelled as well.
  club_id uuid,
  -- id, start_time and sequence of each event, as they stood at the time.
  entries jsonb not null,
  retired_at timestamptz not null
);
create index retired_feeds_user on retired_feeds (user_id, club_id, retired_at);
