-- What happened in a large circle and is still to be told to these people. It is written in the transaction of its cause;
-- a job tells some of them at a time, and takes them out in the same transaction.
create table unspread_news (
  id uuid primary key,
  kind text not null,
  cause uuid not null,
  -- Letters of one kind about the same are gathered.
  about uuid not null,
  -- No references: a deleted club's cancellations are still told. Whoever deletes their account is taken out by the app.
  club_id uuid not null,
  event_id uuid,
  actor_id uuid,
  people uuid[] not null,
  -- As a notification and a letter have it: the club and the event as they were right after it.
  subject jsonb not null,
  happening jsonb not null,
  created_at timestamptz not null
);
create index unspread_news_event on unspread_news (event_id);

-- While somebody is still to be told there is a job that does so; the part that it has told adds the next one.
create function spread_news() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job('spread_news', json_build_object('news', new.id), max_attempts := 13);
  return null;
end $$;
create trigger unspread_news_spread after insert or update on unspread_news
  for each row when (new.people <> '{}') execute function spread_news();
