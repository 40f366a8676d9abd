-- What a code was requested for: it serves nothing else. Codes that the release before sends are login codes.
alter table login_codes add column purpose text not null default 'login'
  check (purpose in ('login', 'email_change', 'export', 'deletion'));
