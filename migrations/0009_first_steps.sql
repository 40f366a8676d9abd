-- The steps that the page of a new club shows its founder. Null: nothing is shown, because they were never offered, are
-- done or were hidden for good. The previous release ignores the column.
alter table members add column first_steps text check (first_steps in ('open', 'calendar_added'));
