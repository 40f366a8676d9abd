alter table events
  add column series_id uuid,
  -- The day on which the rule put this date, wherever it was moved since.
  add column slot_on date,
  -- Not validated: no event has a series yet.
  add constraint events_series_id_fkey foreign key (series_id) references series on delete set null not valid,
  add constraint events_slot_check check (series_id is null or slot_on is not null) not valid;
-- Whether the change was one of the whole series. What other edits changed is the date's own, and the series leaves it.
alter table event_changes add column of_series boolean not null default false;
