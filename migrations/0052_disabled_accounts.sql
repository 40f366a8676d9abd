-- An operator has disabled the account since this time: it has no sessions, and gets no codes, emails or calendar feeds.
alter table users add column disabled_at timestamptz;
