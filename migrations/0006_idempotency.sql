-- What somebody did under a name of their own choice, so that sending it again repeats the answer and not the deed. Its
-- row is written in the transaction of the deed.
create table kept_answers (
  user_id uuid not null references users on delete cascade,
  -- Method, path and key, sealed.
  deed bytea not null,
  body_hash bytea not null,
  status smallint not null,
  -- Only who knows the key can read it.
  answer bytea not null,
  answered_at timestamptz not null,
  primary key (user_id, deed)
);
create index kept_answers_age on kept_answers (answered_at);

-- Rises with every edit; of events the sequence does.
alter table clubs add version int not null default 0;
