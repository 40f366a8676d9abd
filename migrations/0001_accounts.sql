create table users (
  id uuid primary key,
  -- Lower-cased by the app in ASCII only, so that no other character folds into an ASCII one.
  email text not null unique,
  user_name text not null default '',
  first_name text not null default '',
  last_name text not null default '',
  profile_picture_url text,
  calendar_secret text not null unique,
  created_at timestamptz not null
);

-- A session is a family of refresh tokens: the current one and its direct parent. An ended session has no row.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  access_hash bytea not null unique,
  access_ends_at timestamptz not null,
  refresh_hash bytea not null,
  parent_hash bytea,
  device text not null default '',
  created_at timestamptz not null,
  used_at timestamptz not null,
  ends_at timestamptz not null
);
create index sessions_user on sessions (user_id);

create table login_codes (
  id uuid primary key,
  email text not null,
  short_hash bytea not null,
  long_hash bytea not null,
  wrong_tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- Keyed digest of the network that asked for the code: an address has limits per network. Null where networks are not
  -- limited.
  network bytea
);
create index login_codes_email on login_codes (email, created_at);

-- A change of an account's email, from its request on.
create table email_changes (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  old_email text not null,
  new_email text not null,
  -- Of the code that was emailed to the new address. Null once it is used or replaced.
  code_hash bytea,
  code_ends_at timestamptz not null,
  requested_at timestamptz not null,
  changed_at timestamptz,
  -- Until then the link in the email to the old address reverts the change, and that address is reserved.
  ends_at timestamptz not null
);
create unique index email_changes_pending on email_changes (user_id) where code_hash is not null;
create index email_changes_user on email_changes (user_id);
create index email_changes_old_email on email_changes (old_email);

-- Wrong guesses count per address and outlive the codes.
create table login_throttles (
  email text primary key,
  hour_started_at timestamptz not null,
  wrong_this_hour int not null default 0,
  wrong_in_a_row int not null default 0,
  short_codes_refused_until timestamptz
);

-- Deleted accounts, by a keyed digest of the id. The same digests are stored outside of the database: one that is
-- missing here belongs to a deletion that was lost when an older backup was restored.
create table deletions (
  digest text primary key,
  deleted_on date not null
);
