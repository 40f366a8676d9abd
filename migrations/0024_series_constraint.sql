-- Deferrable: checked after a statement that moves all dates of a series, one onto the day of the next.
alter table events add constraint events_series unique using index events_series deferrable;
