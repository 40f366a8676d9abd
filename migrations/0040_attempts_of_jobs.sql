-- When the attempt under way began. Slow attempts renew their lock, so the lock does not say it.
alter table jobs add column started_at timestamptz;

-- Emails are tried for four days, also those that wait already.
update jobs set max_attempts = 26 where name = 'send_email' and attempts < max_attempts;
