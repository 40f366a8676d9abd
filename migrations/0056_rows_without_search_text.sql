-- Statement by statement.
-- The rows that the job `fill_search_texts` has to fill.
drop index concurrently if exists events_without_search_text;
create index concurrently events_without_search_text on events (id) where search_text is null;
drop index concurrently if exists clubs_without_search_text;
create index concurrently clubs_without_search_text on clubs (id) where search_text is null;
drop index concurrently if exists users_without_search_text;
create index concurrently users_without_search_text on users (id) where search_text is null;
