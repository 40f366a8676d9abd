-- Statement by statement.
drop index concurrently if exists events_series;
create unique index concurrently events_series on events (series_id, slot_on);
