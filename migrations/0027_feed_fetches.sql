-- When which kind of calendar app last fetched a feed. It ends with the membership or the account.
create table feed_fetches (
  user_id uuid not null references users on delete cascade,
  -- Null for the personal feed.
  club_id uuid,
  app text not null check (app in ('google', 'apple', 'outlook', 'other')),
  fetched_at timestamptz not null,
  unique nulls not distinct (user_id, club_id, app),
  foreign key (club_id, user_id) references members on delete cascade
);
create index feed_fetches_club on feed_fetches (club_id, user_id, fetched_at);
create index feed_fetches_time on feed_fetches (fetched_at);
