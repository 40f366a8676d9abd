-- The times are those of the event, none is missing, and they stay so.
alter table attendances
  add constraint attendances_event_fkey foreign key (event_id, event_start, event_end)
    references events (id, start_time, end_time) match full on update cascade on delete cascade not valid,
  drop constraint attendances_event_id_fkey;
drop procedure old_attendances_take_times();
