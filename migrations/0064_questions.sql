-- Questions of members to the hosts of an event. Each has at most one answer, to its author alone or to all members.
create table questions (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  author_id uuid not null references users on delete cascade,
  question text not null check (question <> ''),
  asked_at timestamptz not null,
  answer text not null default '',
  answered_at timestamptz,
  answered_by uuid references users on delete set null,
  -- Rises with every answer.
  version int not null default 0,
  shared boolean not null default false,
  check ((answered_at is null) = (answer = '')),
  check (answered_at is not null or not shared)
);
create index questions_event on questions (event_id, asked_at);
create index questions_author on questions (author_id);
create index questions_answered_by on questions (answered_by);
