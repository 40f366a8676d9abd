-- Mails about what happened that are still to be written, one row for each happening and recipient. Whatever writes one
-- deletes its rows in the transaction that hands it to the post, so that nobody gets the same twice.
create table notices_to_mail (
  -- Of the letter as well.
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null,
  -- Rows of one kind about the same go into one letter.
  about uuid not null,
  -- No reference: a deleted club's cancellations are still told.
  club_id uuid not null,
  actor_id uuid references users on delete set null,
  -- The club and the event as they were right after it, and what changed.
  happening jsonb not null,
  created_at timestamptz not null,
  -- By the clock of the database; the first one about the same counts.
  mail_at timestamptz not null
);
create index notices_to_mail_about on notices_to_mail (kind, about);
create index notices_to_mail_user on notices_to_mail (user_id);
create index notices_to_mail_actor on notices_to_mail (actor_id);

-- One job writes what is to be mailed of one kind about one thing: what is noted while it waits changes nothing of when
-- it comes. A code for a login passes all of them.
create function mail_notices() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job('mail_notices', json_build_object('kind', kind, 'about', about),
      run_at := min(mail_at), max_attempts := 8, priority := 1, job_key := kind || ':' || about, job_key_mode := 'preserve_run_at')
    from noted group by kind, about;
  return null;
end $$;
create trigger notices_mail after insert on notices_to_mail referencing new table as noted
  for each statement execute function mail_notices();
