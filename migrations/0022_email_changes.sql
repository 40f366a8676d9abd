-- Which network asked for a code, as a keyed digest: the limits of an address count per network. Null where networks are
-- not limited, and in rows of the release before.
alter table login_codes add column network bytea;

-- A change of the email of an account, from its request on. The release before keeps a request in `pending_email` of
-- users, which goes once no process of it runs; a request there needed no code of the old address, so none goes on.
create table email_changes (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  old_email text not null,
  new_email text not null,
  -- Of the code that was mailed to the new address. Null as soon as it counts no more.
  code_hash bytea,
  code_ends_at timestamptz not null,
  requested_at timestamptz not null,
  changed_at timestamptz,
  -- Until then the link that was mailed to the old address reverts the change, and nobody else gets that address.
  ends_at timestamptz not null
);
create unique index email_changes_pending on email_changes (user_id) where code_hash is not null;
create index email_changes_user on email_changes (user_id);
create index email_changes_old_email on email_changes (old_email);

update users set pending_email = null, pending_email_hash = null, pending_email_ends_at = null
  where pending_email is not null;
