-- A question that members answer together with the event. Without choices they reply in their own words. The check is not
-- validated: the defaults, which all rows have, obey it.
alter table events
  add column question text not null default '',
  add column choices text[] not null default '{}',
  add constraint events_choices_check check (cardinality(choices) <= 8 and (question <> '' or choices = '{}')) not valid;
