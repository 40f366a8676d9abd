-- Statement by statement.
alter table attendances validate constraint attendances_event_fkey;
