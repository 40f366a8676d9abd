-- Statement by statement.
-- Repeatable from the start. Only the tables of reads and reminders lock two tables, and for a moment.
set lock_timeout = 400;
alter table posts add column if not exists important boolean not null default false;
alter table posts
  drop constraint if exists posts_important_check,
  add constraint posts_important_check check (event_id is null or not important) not valid;
alter table posts validate constraint posts_important_check;
-- The release before inserts updates without the new column, which are not important.
create or replace view club_updates as
  select id, club_id, creator_id, content, created_at, edited_at, version, important from posts where event_id is null
  with local check option;

-- Who has said that they have read an important update. Not a column of a table whose changes renew pages.
drop table if exists update_reads;
create table update_reads (
  update_id uuid not null references posts on delete cascade,
  user_id uuid not null references users on delete cascade,
  read_at timestamptz not null,
  via text not null check (via in ('app', 'link')),
  primary key (update_id, user_id)
);
create index update_reads_user on update_reads (user_id);
-- The reminders of an important update. Not columns of `posts`, because a trigger renews pages on each change of that table.
drop table if exists update_reminders;
create table update_reminders (
  update_id uuid primary key references posts on delete cascade,
  reminded_at timestamptz not null,
  reminders smallint not null check (reminders between 1 and 3)
);
