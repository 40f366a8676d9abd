-- One table for each migration from here to 0013: a transaction that locks two can deadlock with readers of both.
alter table events
  -- Guests that each member may bring.
  add column guests_max smallint not null default 0,
  add constraint events_guests_max_check check (guests_max between 0 and 9) not valid;
