alter table events
  add column series_id uuid,
  -- The day on which the rule put this date, wherever it was moved since.
  add column slot_on date,
  -- Fields that were edited for this date alone: edits of the series leave them as they are.
  add column own_fields text[] not null default '{}',
  -- Not validated: no event has a series yet.
  add constraint events_series_id_fkey foreign key (series_id) references series on delete set null not valid,
  add constraint events_slot_check check (series_id is null or slot_on is not null) not valid;
