alter table events
  -- How often members were asked for their answers, and when last. Asking all to confirm again starts over.
  add column nudges smallint not null default 0,
  add column nudged_at timestamptz;
