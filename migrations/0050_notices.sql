-- Notices to people. A row holds only ids and the state before a change. Everything else is read when the notice is
-- shown or sent.
create table notices (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null,
  -- Each user gets one notice per kind and deduplication key.
  dedupe_key uuid not null,
  facts jsonb not null,
  actor_id uuid references users on delete set null,
  created_at timestamptz not null,
  seen_at timestamptz,
  actioned_at timestamptz,
  unique (user_id, dedupe_key, kind)
);
create index notices_newest on notices (user_id, created_at desc, id);
create index notices_created on notices (created_at);
create index notices_actor on notices (actor_id);

-- Pending emails, and emails that were sent within the last day. One job loads, renders and sends an email.
create table notice_emails (
  -- Also the id in the `Message-ID` of the email.
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null,
  -- Pending emails to a user with the same kind and key are merged.
  key text not null,
  facts jsonb not null,
  -- The state before the changes, by key. When notices are merged, each key keeps the value of the first notice.
  before jsonb not null default '{}',
  actor_id uuid references users on delete set null,
  created_at timestamptz not null,
  -- By the clock of the database.
  send_at timestamptz not null,
  -- Set when the email exceeds the hourly limit. It is then merged with all others over the limit into one email.
  collected boolean not null default false,
  -- Set before the email is handed over to the mail server, so that a crash loses the email instead of sending it
  -- twice.
  sent_at timestamptz
);
create unique index notice_emails_pending on notice_emails (user_id, kind, key) where sent_at is null;
create index notice_emails_sent on notice_emails (user_id, kind, sent_at);
create index notice_emails_actor on notice_emails (actor_id);
create index notice_emails_created on notice_emails (created_at);

-- Adds the job that sends an email. Login codes have a higher priority. A job that runs too early sets `send_at`, which
-- adds another job.
create function send_notice() returns trigger language plpgsql as $$
begin
  perform enqueue_job('send_notice', jsonb_build_object('id', new.id), run_at => new.send_at, priority => 1,
    key => 'notice:' || new.id);
  -- With the delays between them, 26 attempts take four to five days.
  update jobs set max_attempts = 26 where key = 'notice:' || new.id;
  return null;
end $$;
create trigger notice_emails_send after insert or update of send_at on notice_emails
  for each row when (new.sent_at is null) execute function send_notice();

-- Notices for a large audience. `people` holds the recipients whose notices have not been added yet. The row is written
-- in the transaction that raises the notice. A job adds the notices of some recipients at a time, and removes these
-- recipients in the same transaction.
create table notice_fanouts (
  id uuid primary key,
  kind text not null,
  dedupe_key uuid not null,
  key text not null,
  facts jsonb not null,
  before jsonb not null,
  -- No foreign keys: the app removes the ids of users who delete their account.
  actor_id uuid,
  people uuid[] not null,
  -- Additional facts for single recipients, keyed by user id.
  own jsonb not null,
  seconds int not null,
  created_at timestamptz not null
);

create function continue_notices() returns trigger language plpgsql as $$
begin
  perform enqueue_job('continue_notices', jsonb_build_object('fan_out', new.id));
  return null;
end $$;
create trigger notice_fanouts_continue after insert or update on notice_fanouts
  for each row when (new.people <> '{}') execute function continue_notices();

-- While the previous release still runs, it writes to its own table, `notifications`. A job converts these rows.
create function convert_notifications() returns trigger language plpgsql as $$
begin
  perform enqueue_job('convert_notifications', '{}', priority => 1, key => 'convert_notifications');
  return null;
end $$;
create trigger notifications_convert after insert on notifications
  for each statement execute function convert_notifications();
select enqueue_job('convert_notifications', '{}', priority => 1, key => 'convert_notifications')
  where exists (select from notifications);
