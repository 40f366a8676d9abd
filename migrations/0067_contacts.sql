-- The phone of a person, and who may see it in each of their clubs. Without a row, nobody does. The choice is not in
-- `members`, so that changing it renews no page.
alter table users add column phone text not null default '';
create table contacts (
  club_id uuid not null,
  user_id uuid not null,
  phone_for text not null check (phone_for in ('hosts', 'members')),
  primary key (club_id, user_id),
  foreign key (club_id, user_id) references members on delete cascade
);
