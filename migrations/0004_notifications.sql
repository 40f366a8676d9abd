-- The message is rendered when it is read, so that no person's name is stored in it.
create table notifications (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null,
  -- The same cause makes one notification per user and kind.
  cause uuid not null,
  actor_id uuid references users on delete set null,
  -- Names and slugs of the club and the event at that time, and what changed.
  subject jsonb not null,
  created_at timestamptz not null,
  seen_at timestamptz,
  actioned_at timestamptz,
  unique (user_id, cause, kind)
);
create index notifications_newest on notifications (user_id, created_at desc, id);
create index notifications_created on notifications (created_at);
create index notifications_actor on notifications (actor_id);

-- Everything is on by default.
create table notification_opt_outs (
  user_id uuid not null references users on delete cascade,
  key text not null,
  primary key (user_id, key)
);

-- Domain events for a large audience, with the people still to be notified. The row is written in the transaction of its
-- cause. A job notifies some of them at a time and removes them in the same transaction.
create table notification_fanouts (
  id uuid primary key,
  kind text not null,
  cause uuid not null,
  -- Emails of one kind about the same thing are merged.
  about uuid not null,
  -- No references: the cancellations of a deleted club are still sent. The app removes people who delete their account.
  club_id uuid not null,
  event_id uuid,
  actor_id uuid,
  people uuid[] not null,
  -- What the notifications and the emails say: the club and the event as they were right after it.
  subject jsonb not null,
  payload jsonb not null,
  created_at timestamptz not null
);
create index notification_fanouts_event on notification_fanouts (event_id);

-- While people are still to be notified, there is a job: each part enqueues the next one.
create function continue_fan_out() returns trigger language plpgsql as $$
begin
  perform enqueue_job('continue_fan_out', jsonb_build_object('fan_out', new.id));
  return null;
end $$;
create trigger notification_fanouts_continue after insert or update on notification_fanouts
  for each row when (new.people <> '{}') execute function continue_fan_out();

-- Emails that are still to be rendered: one row per domain event and recipient. Rendering deletes the rows in the
-- transaction that enqueues the email, so that nobody gets it twice.
create table notification_emails (
  -- Also the id of the email.
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null,
  -- Rows of one kind about the same thing are merged into one email.
  about uuid not null,
  -- No reference: the cancellations of a deleted club are still sent.
  club_id uuid not null,
  actor_id uuid references users on delete set null,
  -- The club and the event as they were right after it, and what changed.
  payload jsonb not null,
  created_at timestamptz not null,
  -- By the clock of the database. The first row about the same thing decides.
  send_at timestamptz not null
);
create index notification_emails_about on notification_emails (kind, about);
create index notification_emails_user on notification_emails (user_id);
create index notification_emails_actor on notification_emails (actor_id);

-- One job renders all emails of one kind about one thing; rows added while it waits do not delay it. Login codes have
-- priority.
create function send_notification_emails() returns trigger language plpgsql as $$
begin
  perform enqueue_job('send_notification_emails', jsonb_build_object('kind', kind, 'about', about),
      run_at => min(send_at), priority => 1, key => kind || ':' || about)
    from added group by kind, about;
  return null;
end $$;
create trigger notification_emails_send after insert on notification_emails referencing new table as added
  for each statement execute function send_notification_emails();
