-- Statement by statement.
-- Repeatable from the start. Each statement is a transaction of its own, so none locks two tables.
set lock_timeout = 1000;
-- The names in the form in which searches compare them, which the app makes (`src/wire/search-text.ts`). On a second line,
-- what only some searches find: the user name of a user, the location of a club. Null until the job `fill_search_texts`
-- has filled it.
alter table events add column if not exists search_text text;
alter table clubs add column if not exists search_text text;
alter table users add column if not exists search_text text;

-- The previous release changes names without the search text, which is then outdated.
create or replace function clear_search_text() returns trigger language plpgsql as $$
begin
  new.search_text := null;
  return new;
end $$;
create or replace trigger events_search_text before update of name on events for each row
  when (new.name is distinct from old.name and new.search_text is not distinct from old.search_text)
  execute function clear_search_text();
create or replace trigger clubs_search_text before update of club_name, location_name on clubs for each row
  when ((new.club_name, new.location_name) is distinct from (old.club_name, old.location_name)
    and new.search_text is not distinct from old.search_text)
  execute function clear_search_text();
create or replace trigger users_search_text before update of first_name, last_name, user_name on users for each row
  when ((new.first_name, new.last_name, new.user_name) is distinct from (old.first_name, old.last_name, old.user_name)
    and new.search_text is not distinct from old.search_text)
  execute function clear_search_text();
