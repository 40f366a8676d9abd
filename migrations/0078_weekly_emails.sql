-- A row means that the person gets the news of the week in one email.
create table weekly_emails (
  user_id uuid primary key references users on delete cascade,
  next_at timestamptz not null,
  -- The last email that the mail server accepted contained the news up to this time. At first the time of the choice.
  since timestamptz not null,
  -- The end of the news in the last email, which may still be on its way. Null before the first one.
  until timestamptz
);
create index weekly_emails_next on weekly_emails (next_at);
-- Chosen by the API before anything was sent once a week.
delete from notification_opt_outs where key = 'weekly_email';
