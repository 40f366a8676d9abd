-- The checks are not validated: the defaults, which all rows have, obey them.
alter table answers
  -- The order of the waitlist. Numbers are never used again while later ones wait, and may have gaps.
  add column place int,
  -- Whether others may go first if this party does not fit.
  add column lets_pass boolean not null default false,
  -- Whether an organiser gave this party seats beyond the capacity.
  add column over boolean not null default false,
  drop constraint answers_answer_check,
  add constraint answers_answer_check check (answer in ('going', 'waiting', 'maybe', 'no')) not valid,
  add constraint answers_place_check check ((place is not null) = (answer = 'waiting')) not valid;
