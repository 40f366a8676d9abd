-- Statement by statement.
-- Repeatable from the start. Answers that an absence gives. The release before does not read how an answer was given.
set lock_timeout = 400;
alter table answers drop constraint if exists answers_via_check,
  add constraint answers_via_check check (via in ('app', 'link', 'standing', 'away', 'runner')) not valid;
alter table answers validate constraint answers_via_check;
