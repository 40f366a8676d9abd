-- The clubs that a member has muted. Not a column of `members`, because a trigger renews pages on each change of that table.
create table club_mutes (
  club_id uuid not null,
  user_id uuid not null,
  primary key (club_id, user_id),
  foreign key (club_id, user_id) references members on delete cascade
);
create index club_mutes_user on club_mutes (user_id);
